package scenarios
import ("testing";"os";"fmt";"kafkatrial/scenarios/format";"kafkatrial/sim")
func TestTry(t *testing.T){
  name:=os.Getenv("F"); src,_:=os.ReadFile(name)
  f,ps:=format.Load(name,src,Vocabulary)
  for _,p:=range ps{ fmt.Println(p.Error()) }
  if f==nil{t.Fatal()}
  r,err:=New(f,Options{Kafka:os.Getenv("K")}); if err!=nil{t.Fatal(err)}
  r.Finish()
  tr:=r.World.Trace()
  for i:=range tr.Steps{ if tr.Routine(i)&&os.Getenv("ALL")==""{continue}
    s:=tr.Steps[i]; m:=""; if s.Msg!=nil{m=r.World.MessageName(s.Msg.Type())}
    if s.Kind==sim.StepTimer{m=r.World.TimerName(s.Timer)}
    fmt.Printf("%4d %8v k%d %v %s<-%s %s c%d\n",i+1,s.At,s.Kind,s.Op,r.World.Name(s.Node),r.World.Name(s.Peer),m,s.Cause+1)
    for _,f:=range tr.FactsOf(i){ fmt.Printf("        fact %d %s-%d %d %d %d %s %v\n",f.Kind,f.Subject,f.Part,f.A,f.B,f.C,f.Text,f.Ref)}
  }
  fmt.Println("stopped",r.Stopped()); fmt.Println(r.Rested())
  fmt.Println(r.Report().Table())
}
