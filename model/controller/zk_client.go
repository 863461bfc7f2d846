package controller

import (
	"kafkatrial/model/planted"
	"kafkatrial/model/protocol"
	"kafkatrial/sim"
)

// zkClient is the controller's session with ZooKeeper, and the requests its event thread waits for: the
// thread sends a batch, and goes on when every answer is there (KafkaZkClient.retryRequestsUntilConnected).
type zkClient struct {
	conn      sim.ConnID
	session   int64 // 0: none
	connected bool
	lastHeard sim.Time // when ZooKeeper last said anything
	nextID    int32
	requests  []protocol.ZkRequest // the batch
	ids       []int32              // of the messages they went out as
	answers   []*protocol.ZkResponse
	missing   int
}

const zkReconnect = 100 * sim.Millisecond

func (c *KafkaController) connectZk() {
	z := &c.zk
	if z.conn == sim.NoConn {
		z.conn = c.env.Connect(c.s.Directory.ZooKeeper)
		z.lastHeard = c.env.Now()
	}
	c.sendZk(protocol.ZkRequest{Op: protocol.ZkConnect, Timeout: c.sessionTimeout})
}

// pingZk keeps the session alive, and gives up a connection on which nothing came for two thirds of the
// session time-out (ClientCnxn.readTimeout).
func (c *KafkaController) pingZk() {
	z := &c.zk
	silent := c.env.Now() - z.lastHeard
	next := c.sessionTimeout / 3
	switch {
	case z.conn == sim.NoConn:
	case silent >= 2*c.sessionTimeout/3:
		c.env.Close(z.conn)
		c.zkBroken()
	default:
		next = min(next, 2*c.sessionTimeout/3-silent)
		if z.connected {
			c.sendZk(protocol.ZkRequest{Op: protocol.ZkPing, Version: -1, ControllerEpoch: -1})
		}
	}
	c.env.SetTimer(next, protocol.TimerControllerPing, 0, true)
}

func (c *KafkaController) sendZk(r protocol.ZkRequest) int32 {
	c.zk.nextID++
	r.ID, r.Session = c.zk.nextID, c.zk.session
	c.env.Send(c.zk.conn, &r)
	return r.ID
}

// call sends a batch. The event thread stops until it is answered.
func (c *KafkaController) call(requests ...protocol.ZkRequest) {
	z := &c.zk
	z.requests, z.missing = requests, len(requests)
	z.ids = make([]int32, len(requests))
	z.answers = make([]*protocol.ZkResponse, len(requests))
	c.sendUnanswered()
}

// sendUnanswered sends what has no answer yet: at first, and again after the connection was lost. A write
// that was carried out although its answer was lost is refused the second time, for its version.
func (c *KafkaController) sendUnanswered() {
	z := &c.zk
	if !z.connected {
		return
	}
	for i := range z.requests {
		if z.answers[i] == nil {
			z.ids[i] = c.sendZk(z.requests[i])
		}
	}
}

// zkAnswered takes an answer of ZooKeeper.
func (c *KafkaController) zkAnswered(r *protocol.ZkResponse) {
	z := &c.zk
	z.lastHeard = c.env.Now()
	switch {
	case r.Err == protocol.ZkSessionExpired:
		if r.Session == z.session {
			c.sessionExpired()
		}
	case r.Op == protocol.ZkConnect:
		fresh := z.session != r.Session
		z.session, z.connected = r.Session, true
		if fresh {
			c.newSession()
		} else {
			c.readWatchedAgain()
		}
		c.sendUnanswered()
	default:
		for i := range z.ids {
			if z.ids[i] == r.ID && z.answers[i] == nil {
				z.answers[i] = r
				z.missing--
			}
		}
	}
	c.run()
}

func (c *KafkaController) zkBroken() {
	c.zk.conn, c.zk.connected = sim.NoConn, false
	c.env.SetTimer(zkReconnect, protocol.TimerRequestRetry, retryZk, true)
}

// retryZk is the argument of the timer that reconnects to ZooKeeper; brokers are numbered from 1.
const retryZk = 0

// dropCalls forgets the batch: the event that waits for it is given up.
func (c *KafkaController) dropCalls() {
	c.zk.requests, c.zk.ids, c.zk.answers, c.zk.missing = nil, nil, nil, 0
}

// guarded makes a write of the controller conditional on its being the latest one (KAFKA-6082). Before 2.1
// a controller that has been replaced can still write.
func (c *KafkaController) guarded(r protocol.ZkRequest) protocol.ZkRequest {
	r.ControllerEpoch = -1
	if c.s.Rules.ControllerEpochCAS && c.s.Planted.On(planted.ControllerEpochCAS) {
		r.ControllerEpoch = int(c.ctx.epochZkVersion)
	}
	return r
}

// get, children and the like make requests.
func get(path string, watch bool) protocol.ZkRequest {
	return protocol.ZkRequest{Op: protocol.ZkGet, Path: path, Watch: watch, Version: -1, ControllerEpoch: -1}
}

func children(path string, watch bool) protocol.ZkRequest {
	return protocol.ZkRequest{Op: protocol.ZkChildren, Path: path, Watch: watch, Version: -1, ControllerEpoch: -1}
}

func (c *KafkaController) remove(path string) protocol.ZkRequest {
	return c.guarded(protocol.ZkRequest{Op: protocol.ZkDelete, Path: path, Version: -1})
}
