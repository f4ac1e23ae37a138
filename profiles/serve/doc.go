// Package serve measures a program that answers requests over HTTP: a server of language models with the API of
// OpenAI (llama-server, vLLM and others) or of Ollama.
//
//	profiles/load (closed loop) ──► request ──► stream of the answer ──► harness.Event: infer and request
//
// A server that answers already is used unchanged, and never restarted or ended. One that does not is started by the
// workload's command, and ended with the measurement. Prompts are made up; the first words of each differ, so that no
// cache of prompts answers.
package serve
