#!/usr/bin/python3 -SE
"""One Python with PyTorch loaded, for all jobs of a test program: importing it takes longer than the jobs.

loaded.py serve             forks for each caller, until standard input ends
loaded.py [-B] SCRIPT ...   runs the script, or -c CODE, in a fork of that server, which has the caller's files, folder,
                           environment and process group; signals reach it through the group
"""
import array
import os
import select
import signal
import socket
import sys


def call():
    turn = os.environ.get("JTUNE_TURN")
    files = [0, 1, 2] + ([int(turn)] if turn else [])
    words = [w for w in sys.argv[1:] if w != "-B"]
    line = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    line.connect(os.path.join(os.path.dirname(__file__), "socket"))
    request = repr((words, os.getcwd(), dict(os.environ), os.getpgrp(), files)).encode()
    line.sendmsg([request], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))])
    for s in signal.SIGTERM, signal.SIGINT:
        signal.signal(s, signal.SIG_IGN)
    status = int(line.recv(16))
    os._exit(status if status >= 0 else 128 - status)


def serve():
    import torch
    import torch.utils.data  # noqa: F401
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    listener = socket.socket(fileno=3)
    while listener in select.select([listener, 0], [], [])[0]:
        line, _ = listener.accept()
        if os.fork() == 0:
            return answer(line)
        line.close()


def answer(line):
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    request, rights, _, _ = line.recvmsg(1 << 18, socket.CMSG_SPACE(64))
    (script, *words), folder, environment, group, numbers = eval(request)
    job = os.fork()
    if job:
        line.send(b"%d" % os.waitstatus_to_exitcode(os.waitpid(job, 0)[1]))
        os._exit(0)
    os.setpgid(0, group)
    for file, number in [(os.dup2(f, 100 + f), n) for f, n in zip(array.array("i", rights[0][2]), numbers)]:
        os.dup2(file, number)
    line.close()
    os.closerange(100, 200)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    if script == "-c":
        sys.argv, code = ["-c"] + words[1:], words[0]
    else:
        sys.argv, code = [script] + words, compile(open(script).read(), script, "exec")
        sys.path[0] = os.path.dirname(script)
    exec(code, {"__name__": "__main__", "__file__": script})


serve() if sys.argv[1:] == ["serve"] else call()
