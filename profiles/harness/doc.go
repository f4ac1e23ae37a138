// Package harness runs a training job and reads the events of its minibatches
// from its output.
//
//	command ──► process group or container ──► lines of JSON, or lines that a pattern matches ──► Event
//	tegra/virtual ──► NextMinibatch ──► Event
//
// # Protocol
//
// A job writes one JSON object per line to its standard output, each as soon
// as it has happened (flush after every line). Times are milliseconds;
// t is seconds since any fixed moment and never goes back.
//
//	{"event":"hello","protocol":1,"workload":"mynet","model":"ResNet-18","dataset":"CIFAR-10",
//	 "samples":50000,"batch_size":16,"num_workers":4,"framework":"torch 2.0"}
//	{"event":"epoch_begin","epoch":0,"t":1.2}
//	{"event":"minibatch","epoch":0,"batch":0,"time_ms":61.2,"fetch_ms":3.1,"compute_ms":55.0,"t":1.27}
//	{"event":"epoch_end","epoch":0,"time_ms":187500,"t":188.9}
//	{"event":"stable","t":4.0}
//	{"event":"error","message":"out of memory"}
//	{"event":"done"}
//
// In Python, with the file that "jtune workloads harness" prints:
//
//	import jtune
//	for batch, (x, y) in enumerate(loader):
//	    with jtune.minibatch(epoch, batch):
//	        train_step(x.to(device), y.to(device))
//
// Only minibatch events are needed, and of them only time_ms: the whole
// minibatch from the start of its fetch to the end of its step, after a
// synchronise. fetch_ms is the visible wait for the data, copy to the device
// included; compute_ms the step on the GPU; stall_ms and overhead_ms are
// computed when they are not given. preprocess_ms (the work on the data
// without reading it, hidden behind compute or not), copy_ms and launch_ms
// are shown as stages where they are given. "clean":false marks a minibatch
// that does not count, such as one that also wrote a checkpoint. The share of a cache
// event is the part of the data in the page cache. mode, fetch, compute, power and
// sys are events of the protocol that are ignored here.
//
// An inference job (protocol 2) reports batches, a server requests too:
//
//	{"event":"hello","protocol":2,"kind":"infer","unit":"token","runtime":"llama.cpp","precision":"q4_k_m"}
//	{"event":"infer","n":16,"time_ms":28.1,"fetch_ms":1.2,"phase":"decode","t":3.2}
//	{"event":"request","arrive":3.10,"start":3.15,"first":3.19,"end":3.22,"in":512,"out":128,"n":1}
//	{"event":"warm","n":20}
//
// n counts units, 1 to 1,048,576; a request's times are seconds on the clock of t, arrive ≤ start ≤ first ≤ end; warm
// ends a warm-up whose batches say "clean":false.
//
// A job without an event for a minute is taken for dead, or for five times as long as a minibatch has taken or may take
// in the present mode, where that is longer. A job that loads or warms its page cache for longer prints cache events,
// or has silence_s under its [workload.NAME] in the configuration file.
//
// A job that cannot be changed is read by a pattern (see CheckPattern) from the
// progress bar or the log lines that it prints; some tools of inference tell only
// when they end (see Summary). A job may run in a container;
// package torch below has the built-in ones.
//
// A job that was started elsewhere is read from its log or a named pipe (Attach): it is never signalled.
//
// Lines that are no such object are counted and kept in the log, as are
// events with absurd values (not a number, negative, time going back).
// Standard error goes to the log. The job finds its settings in the
// environment: JTUNE_PROTOCOL, JTUNE_WORKLOAD, JTUNE_BATCH, JTUNE_WORKERS,
// JTUNE_PREFETCH and JTUNE_EPOCHS (0: train until ended).
//
// A search over batch sizes starts the job again for each, with the size in
// JTUNE_BATCH. The command, or a script that it names, must contain that name, such
// as ["sh", "-c", "python3 -m mine --bs $JTUNE_BATCH"]; a hello with another
// batch_size ends the search.
package harness
