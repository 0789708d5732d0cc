# Copyright (c) 2026, the buildworks.toolchain authors
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Many prompts: duration compared with the asynchronous openai SDK, CPU time and memory."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.row import Figure, Row, ratio
from sandbox.client import Sandbox

PROMPTS = 1000
MANY = 100_000
WORKERS = 16
ROWS = (
    Row("batch_vs_sdk", "1,000 prompts of 50 ms, 16 at once: seconds of the async openai SDK, over ours", ">=", 0.9),
    Row("batch_overhead_ms", "CPU time of ours per prompt, ms"),
    Row("batch_mb", "memory above idle for 100,000 cached prompts, MB", "<=", 30),
)
ROUNDS = 3
# Responds to each completion after 50 ms; prints its port
SERVER = """
import asyncio, json
choice = {"index": 0, "message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}
usage = {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12}
head = {"id": "chatcmpl-1", "object": "chat.completion", "created": 1, "model": "gpt-4o-mini"}
body = json.dumps({**head, "choices": [choice], "usage": usage}).encode()
response = b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(body) + body
async def serve(reader, writer):
    while True:
        try:
            head = (await reader.readuntil(b"\\r\\n\\r\\n")).lower()
        except (asyncio.IncompleteReadError, ConnectionError):
            return writer.close()
        await reader.readexactly(int(head.partition(b"content-length:")[2].partition(b"\\r\\n")[0]))
        await asyncio.sleep(0.05)
        writer.write(response)
async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()
asyncio.run(main())
"""
# Runs the module; prints seconds, CPU milliseconds per prompt, and megabytes above those before the run
OURS = """
import json, os, resource, sys, time
sys.path[:0] = json.loads(sys.argv[1])
from support.running import run
settings = json.loads(sys.argv[2])
def run_batch(source, **options):
    files = {"prompts_file": source, "to_file": source + ".answers"}
    result = run("inference_chat_batch", **{**settings, **files, **options})
    assert not result.get("failed"), result["msg"]
    return result["summary"]["answered"]
run_batch(sys.argv[4])
idle, cpu, start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time(), time.monotonic()
count = run_batch(sys.argv[3])
seconds, busy = time.monotonic() - start, time.process_time() - cpu
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"seconds": seconds, "own_ms": busy / count * 1000, "megabytes": (peak - idle) / 1024}))
"""
# Runs the SDK; prints seconds
THEIRS = """
import asyncio, json, sys, time
import openai
settings = json.loads(sys.argv[1])
async def main():
    client = openai.AsyncOpenAI(base_url=settings["url"], api_key=settings["api_key"])
    prompts = [json.loads(line) for line in open(sys.argv[2])]
    free = asyncio.Semaphore(settings["workers"])
    answers = open(sys.argv[2] + ".theirs", "w")
    async def complete(prompt):
        async with free:
            messages = [{"role": "user", "content": prompt["prompt"]}]
            response = await client.chat.completions.create(model=settings["model"], messages=messages)
            answers.write(json.dumps(response.choices[0].message.content) + "\\n")
    await complete(prompts[0])
    start = time.monotonic()
    await asyncio.gather(*map(complete, prompts))
    print(time.monotonic() - start)
asyncio.run(main())
"""


def measure(_sandbox: Sandbox) -> dict[str, Figure]:
    """Run both in turn, each in its own process, and then a batch whose responses are all cached."""
    with start_server() as url, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        settings = {"url": url, "api_key": "sk-worthless", "model": "gpt-4o-mini", "workers": WORKERS}
        module_runs, sdk_seconds = [], []
        for number in range(ROUNDS):
            source = write_prompts(folder / f"{number}", [f"Prompt {index} of {number}" for index in range(PROMPTS)])
            module_runs.append(run_module(settings, source, write_prompts(folder / f"{number}.first", ["First"])))
            sdk_seconds.append(float(run_program(THEIRS, json.dumps(settings), source)))
        cached = {**settings, "cache": str(folder / "cache"), "result_limit": 0}
        many = run_module(
            cached, write_prompts(folder / "many", ["Same"] * MANY), write_prompts(folder / "one", ["Same"])
        )
    seconds = [run["seconds"] for run in module_runs]
    return {
        "batch_vs_sdk": ratio(sdk_seconds, seconds, seconds=round(min(seconds), 2)),
        "batch_overhead_ms": Figure(round(min(run["own_ms"] for run in module_runs), 2)),
        "batch_mb": Figure(round(many["megabytes"], 1), details={"seconds": round(many["seconds"], 1)}),
    }


def run_module(settings: dict[str, Any], source: str, first: str) -> dict[str, float]:
    paths = json.dumps([path for path in sys.path if path])
    return dict(json.loads(run_program(OURS, paths, json.dumps(settings), source, first)))


def run_program(program: str, *arguments: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], check=True, stdout=subprocess.PIPE, text=True
    ).stdout


def write_prompts(path: Path, texts: list[str]) -> str:
    path.write_text("".join(json.dumps({"prompt": text}) + "\n" for text in texts))
    return str(path)


@contextlib.contextmanager
def start_server() -> Iterator[str]:
    """Start a server that responds after 50 ms and yield its URL."""
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        process.terminate()
