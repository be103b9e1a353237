"""Releases that wait: of a library with a lock that a call has while it runs Python, and of what ends threads."""

from __future__ import annotations

import pytest

from tests.behaviour import packages

SPEC = """\
wrapper_lib: {name: waiting, blocking: release}
cpp_prelude: |
  #include <chrono>
  #include <mutex>
  #include <stdexcept>
  #include <thread>
  inline std::mutex library;
  inline std::atomic<int> alive{0};
  struct hub {};
  struct item {};
  inline void hub_run(hub *, void (*call)(void *), void *data) {
    const std::lock_guard<std::mutex> locked(library);
    call(data);
  }
  inline item *item_new() { ++alive; return new item; }
  inline void item_free(item *made) {
    const std::lock_guard<std::mutex> locked(library);
    --alive;
    delete made;
  }
  inline int item_open(item **out) { *out = item_new(); return 1; }
  struct Session {
    Session() { ++alive; }
    ~Session() {
      const std::lock_guard<std::mutex> locked(library);
      --alive;
    }
  };
  struct part {};
  inline part *part_of(item *) { ++alive; return new part; }
  inline void part_free(part *made) {
    const std::lock_guard<std::mutex> locked(library);
    --alive;
    delete made;
  }
  struct slow {};
  inline void slow_free(slow *made) {
    std::this_thread::sleep_for(std::chrono::milliseconds(600));
    delete made;
  }
errors:
  - {cpp_type: int, ok: 0, message: "\\"the call failed with a st\\""}
handle_types:
  - {name: Hub, cpp_type: "hub *", release: delete value, blocking: []}
  - {name: Item, cpp_type: "item *", release: item_free(value), thread: any}
  - {name: Session, cpp_type: "std::unique_ptr<::Session>"}
  - {name: Part, cpp_type: "part *", release: part_free(value), belongs_to: {owner: Item}}
  - {name: Slow, cpp_type: "slow *", release: slow_free(value)}
functions:
  - {def: "hub() -> Hub", cpp_fn: "[] { return new hub; }"}
  - {def: "item() -> Item", cpp: item_new}
  - {def: "opened() -> Item", cpp: item_open, raises: WaitingError}
  - {def: "session() -> Session", cpp_fn: "[] { return std::make_unique<::Session>(); }"}
  - {def: "slow() -> Slow", cpp_fn: "[] { return new slow; }"}
  - {def: "alive() -> i64", cpp_fn: "[] { return alive.load(); }"}
methods:
  - {def: "Hub.run(call: fn())", cpp: "::hub_run", blocking: true, thread: any, scope: call}
  - {def: "Item.part() -> Part", cpp: "::part_of"}
"""
MEANWHILE = """
import gc, threading, time
import waiting_ffi as lib
def meanwhile(work):
    # What `work` does, while another thread has the library's lock and waits for the GIL.
    has_lock = threading.Event()
    def call():
        has_lock.set()
        time.sleep(0.05)
    hub = lib.hub()
    thread = threading.Thread(target=hub.run, args=(call,))
    thread.start()
    assert has_lock.wait(20)
    work()
    for _ in range(3): gc.collect()  # a Python that counts no references releases only now
    thread.join(20)
    assert not thread.is_alive()
"""
ENDS = {
    "close": "item = lib.item()\nmeanwhile(item.close)",
    "with": "def work():\n    with item: pass\nitem = lib.item()\nmeanwhile(work)",
    "collected": "items = [lib.item()]\nmeanwhile(items.clear)",
    "destructor": "sessions = [lib.session()]\nmeanwhile(sessions.clear)",
    "lent": "parts = [lib.item().part()]\nmeanwhile(parts.clear)",
    "cycle": """
item = lib.item()
class Own(list): pass
own = Own([lib.item().part()])
own.append(own)
del own
meanwhile(gc.collect)
item.close()
""",
    "failed": """
def work():
    try: lib.opened()
    except lib.WaitingError: pass
    else: raise AssertionError
meanwhile(work)
""",
}


@pytest.fixture(scope="module")
def package() -> packages.Package:
    return packages.build_text(SPEC, name="waiting")


@pytest.mark.parametrize("engine", packages.ENGINES)
@pytest.mark.parametrize("end", ENDS)
def test_what_has_the_lock_can_get_the_gil_while_a_handle_is_released(
    package: packages.Package, engine: str, end: str
) -> None:
    done = package.python(f"{MEANWHILE}\n{ENDS[end]}\nprint(lib.alive())", engine=engine)
    assert done.stdout == "0\n"


@pytest.mark.parametrize("engine", packages.ENGINES)
def test_other_threads_run_while_a_handle_is_released(package: packages.Package, engine: str) -> None:
    code = """
import threading, time
import waiting_ffi as lib
slow, ended = lib.slow(), []
thread = threading.Thread(target=lambda: (slow.close(), ended.append(True)))
thread.start()
time.sleep(0.1)
assert not ended
thread.join()
"""
    package.python(code, engine=engine)


@pytest.mark.parametrize("engine", packages.ENGINES)
@pytest.mark.parametrize("drops", ["slow.close()", "made.clear()"])
def test_a_thread_that_releases_at_exit_does_not_keep_the_process(
    package: packages.Package, engine: str, drops: str
) -> None:
    code = f"""
import threading, time
import waiting_ffi as lib
slow = lib.slow()
made = [lib.slow()]
def work():
    print("released", flush=True)
    {drops}
thread = threading.Thread(target=work, daemon=True)
thread.start()
time.sleep(0.2)
if "made" in {drops!r}: slow.close()
"""
    done = package.python(code, engine=engine)
    assert (done.stdout, done.stderr) == ("released\n", "")
