"""The cache returns what was written, or says that it cannot: never anything else."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from numpy.typing import NDArray

from rollwise.cache import folders
from rollwise.cache import store as store_module
from rollwise.cache.entry import BLOCK, open_entry, seal
from rollwise.cache.fingerprint import fingerprint
from rollwise.cache.store import (
    Checkpoint,
    Damaged,
    DamagedEntry,
    Entry,
    EntryBusy,
    MissingSource,
    Store,
    StoreError,
    default_root,
)

N_ROWS = 40_000
ROWS = np.arange(N_ROWS * 2, dtype=np.float64).reshape(N_ROWS, 2)  # 640,000 bytes: ten blocks
LAST = (ROWS.nbytes + 128) // BLOCK
HERE = str(Path(store_module.__file__).parents[2])


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "cache")


@pytest.fixture
def key(store: Store) -> str:
    return store.key("pig", {"target": 100})


@pytest.fixture
def file(store: Store, key: str) -> Path:
    """The array file of a good entry."""
    store.write(key, {"rows": ROWS}, {"method": "sweep"})
    return store.root / key / "rows.npy"


def read(store: Store, key: str) -> Entry:
    entry = store.read(key)
    assert entry is not None
    return entry


def flip(file: Path, position: int) -> None:
    content = bytearray(file.read_bytes())
    content[position] ^= 1
    file.write_bytes(content)


def temporary_names(root: Path) -> list[str]:
    return [path.name for path in root.rglob(".*")]


def fails(number: int, real: Callable[..., Any], code: int = errno.ENOSPC) -> Callable[..., Any]:
    """``real``, except that its call of this number (and only that) meets an error of the system."""
    calls = iter(range(1_000_000))

    def function(*arguments: Any, **named: Any) -> Any:
        if next(calls) == number:
            raise OSError(code, os.strerror(code))
        return real(*arguments, **named)

    return function


def run(script: str, root: Path, *arguments: str) -> subprocess.Popen[bytes]:
    start = "import os, sys\nimport numpy as np\nfrom pathlib import Path\nfrom rollwise.cache.store import Store\n"
    command = [sys.executable, "-c", f"{start}store = Store(Path(sys.argv[1]))\n{script}", str(root), *arguments]
    return subprocess.Popen(command, env={**os.environ, "PYTHONPATH": HERE})


# What is written is what is read


@settings(max_examples=60, deadline=None)
@given(
    array=st.sampled_from([np.float64, np.int32, np.uint64, np.int8]).flatmap(
        lambda dtype: npst.arrays(dtype, npst.array_shapes(min_dims=1, max_dims=2, min_side=0, max_side=40))
    ),
    fortran=st.booleans(),
)
def test_an_array_comes_back_as_it_was(array: NDArray[Any], fortran: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        key = store.key("any", {})
        written = store.write(key, {"it": np.asfortranarray(array) if fortran else array}, {})
        entry = read(store, key)
        for back in (written.array("it"), entry.array("it"), np.load(Path(folder, key, "it.npy"), allow_pickle=False)):
            assert (back.dtype, back.shape, back.tobytes()) == (array.dtype, array.shape, array.tobytes())
        assert not entry.array("it").flags.writeable
        rows = np.arange(-len(array), len(array))
        assert entry.checked("it").take(rows).tobytes() == array[rows].tobytes()
        entry.verify()


@given(
    width=st.sampled_from([1, 3, 9_000, 20_000]),
    seed=st.integers(0, 2**32 - 1),
    n_taken=st.integers(0, 20),
)
@settings(max_examples=40, deadline=None)
def test_taken_rows_are_those_of_numpy(width: int, seed: int, n_taken: int) -> None:
    random = np.random.default_rng(seed)
    array = random.random((max(2, 100_000 // width), width))  # rows shorter and longer than a block
    rows = random.integers(-len(array), len(array), n_taken)
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder))
        taken = store.write(store.key("any", {}), {"it": array}, {}).checked("it").take(rows)
    np.testing.assert_array_equal(taken, array[rows])


def test_the_manifest_comes_back_as_it_was(store: Store, key: str) -> None:
    manifest: dict[str, Any] = {
        "game": "pig",
        "gap": 1.1e-15,
        "big": 2**70,
        "p": [1, None, True, "½"],
        "in": {"a": -0.0},
    }
    store.write(key, {}, manifest)
    assert read(store, key).manifest == manifest


def test_size_counts_the_bytes_on_disk(store: Store, key: str, file: Path) -> None:
    assert read(store, key).size == sum(path.stat().st_size for path in file.parent.iterdir())


def test_a_key_depends_on_the_identity_and_not_on_its_order(store: Store) -> None:
    assert store.key("pig", {"a": 1, "b": 2}) == store.key("pig", {"b": 2, "a": 1})
    assert len({store.key("pig", {"a": value}) for value in (1, 1.0, "1", True, None)}) == 5


@pytest.mark.parametrize("key", ["", "..", "../x", "locks", "documents", "a/b-00000000000000000000", "pig-123"])
def test_what_is_no_key_is_refused(store: Store, key: str) -> None:
    for action in (store.read, store.remove, store.checkpoint):
        with pytest.raises(StoreError, match="is no cache key"):
            action(key)


def test_absent_is_none_and_touches_no_disk(store: Store, key: str) -> None:
    assert store.read(key) is None
    assert store.entries() == []
    assert store.checkpoint(key).load() is None
    assert store.remove(key) == store.clear() == 0
    assert not store.root.exists()


def test_the_environment_chooses_the_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ROLLWISE_CACHE", str(tmp_path / "here"))
    assert default_root() == Store().root == tmp_path / "here"
    monkeypatch.delenv("ROLLWISE_CACHE")
    assert default_root().name == "rollwise"


@pytest.mark.parametrize("array", [np.array([object()]), np.zeros(2, dtype="i4,f8")])
def test_only_plain_numbers_are_stored(store: Store, key: str, array: NDArray[Any]) -> None:
    with pytest.raises(TypeError, match="plain numbers"):
        store.write(key, {"it": array}, {})
    assert not store.root.exists()


@pytest.mark.parametrize("manifest", [{"gap": float("nan")}, {"array": np.zeros(2)}, {"set": {1}}])
def test_only_plain_json_is_stored(store: Store, key: str, manifest: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        store.write(key, {}, manifest)
    assert not store.root.exists()


@pytest.mark.parametrize("name", ["", "../x", "a/b", "Ä", ".x"])
def test_array_names_can_not_leave_the_folder(store: Store, key: str, name: str) -> None:
    with pytest.raises(ValueError, match="array names"):
        store.write(key, {name: ROWS}, {})


@pytest.mark.parametrize(
    ("rows", "error"), [([N_ROWS], IndexError), ([-N_ROWS - 1], IndexError), ([0.5], TypeError), ([True], TypeError)]
)
def test_rows_outside_the_array_are_refused(
    store: Store, key: str, file: Path, rows: list[Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        read(store, key).checked("rows").take(np.array(rows))


# Damage is noticed


@pytest.mark.parametrize("position", [0, 20, 127, 128, 5 * BLOCK, -1])
def test_one_flipped_bit_is_noticed(store: Store, key: str, file: Path, position: int) -> None:
    flip(file, position)
    entry = read(store, key)
    uses: list[Callable[[], Any]] = [entry.verify, lambda: entry.array("rows"), entry.checked("rows").whole]
    for use in uses:
        with pytest.raises(DamagedEntry, match=r"rows\.npy fails its checksum"):
            use()


@pytest.mark.parametrize(
    ("position", "row", "noticed"),
    [
        (20, 0, True),  # the header counts for every row
        (20, N_ROWS - 1, True),
        (200, 0, True),
        (200, N_ROWS - 1, True),  # block 0 is the header's block
        (-1, N_ROWS - 1, True),
        (-1, -1, True),
        (-1, 0, False),
        (5 * BLOCK, 0, False),
        (5 * BLOCK, (5 * BLOCK - 128) // 16, True),
        (5 * BLOCK, (5 * BLOCK - 128) // 16 - 1, False),
    ],
)
def test_a_question_checks_the_blocks_it_reads(
    store: Store, key: str, file: Path, position: int, row: int, noticed: bool
) -> None:
    flip(file, position)
    taken = read(store, key).checked("rows")
    if noticed:
        with pytest.raises(DamagedEntry, match="fails its checksum"):
            taken.take(np.array([row]))
    else:
        np.testing.assert_array_equal(taken.take(np.array([row])), ROWS[[row]])


def test_a_row_longer_than_a_block_is_checked_in_its_middle(store: Store, key: str) -> None:
    store.write(key, {"long": np.zeros((3, 40_000))}, {})  # rows of five blocks
    file = store.root / key / "long.npy"
    flip(file, 128 + 320_000 + 160_000)
    taken = read(store, key).checked("long")
    assert taken.take(np.array([0, 2])).shape == (2, 40_000)
    with pytest.raises(DamagedEntry):
        taken.take(np.array([1]))


def test_each_block_is_read_once_for_questions_and_again_for_verify(store: Store, key: str, file: Path) -> None:
    entry = read(store, key)
    taken = entry.checked("rows")
    taken.take(np.array([0]))
    with open(file, "r+b") as same_file:
        same_file.seek(50)
        same_file.write(b"!")
    taken.take(np.array([1]))
    with pytest.raises(DamagedEntry):
        entry.verify()


@pytest.mark.parametrize("change", [lambda text: text[:-1], lambda text: text + b"\0", lambda text: b""])
def test_a_file_of_the_wrong_size_is_noticed_at_read(
    store: Store, key: str, file: Path, change: Callable[[bytes], bytes]
) -> None:
    file.write_bytes(change(file.read_bytes()))
    with pytest.raises(DamagedEntry, match=r"rows\.npy has \d+ bytes, the manifest says 640128"):
        store.read(key)


def test_a_file_cut_off_after_read_is_noticed_and_does_not_kill(store: Store, key: str, file: Path) -> None:
    entry = read(store, key)
    entry.checked("rows").take(np.array([0]))
    os.truncate(file, 1000)
    with pytest.raises(DamagedEntry, match="has 1000 bytes"):
        entry.checked("rows").take(np.array([N_ROWS - 1]))


def test_a_missing_file_is_noticed_at_read(store: Store, key: str, file: Path) -> None:
    file.unlink()
    with pytest.raises(DamagedEntry, match=r"rows\.npy is missing"):
        store.read(key)


def test_a_missing_manifest_is_noticed(store: Store, key: str, file: Path) -> None:
    (file.parent / "manifest.json").unlink()
    with pytest.raises(DamagedEntry, match=r"manifest\.json is missing"):
        store.read(key)


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (b'"sweep"', b'"sweet"', "fails its checksum"),
        (b'"rows"', b'"rowz"', "fails its checksum"),
        (b'"format": 1', b'"format": 2', "has format 2, this version knows 1"),
        (b"{", b"", "is not valid JSON"),
        (b"sweep", b"\xff", "is not valid JSON"),
        (b"sweep", b"\0", "is not valid JSON"),
    ],
)
def test_an_edited_manifest_is_noticed(store: Store, key: str, file: Path, old: bytes, new: bytes, reason: str) -> None:
    manifest = file.parent / "manifest.json"
    text = manifest.read_bytes()
    assert old in text
    manifest.write_bytes(text.replace(old, new, 1))
    with pytest.raises(DamagedEntry, match=reason):
        store.read(key)


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"null", b"[" * 100_000, b"{}", b'{"format": 1}', b'{"format": 1, "checksum": 1}']
)
def test_any_text_for_a_manifest_is_damage(store: Store, key: str, file: Path, text: bytes) -> None:
    (file.parent / "manifest.json").write_bytes(text)
    with pytest.raises(DamagedEntry, match=r"manifest\.json"):
        store.read(key)


@pytest.mark.parametrize(
    "change",
    [
        lambda document: document["arrays"]["rows"].update(dtype="|O"),
        lambda document: document["arrays"]["rows"].update(dtype="nonsense"),
        lambda document: document["arrays"]["rows"].update(shape=5),
        lambda document: document["arrays"]["rows"].update(blocks=""),
        lambda document: document["arrays"]["rows"].pop("size"),
        lambda document: document["arrays"].update({"../../rows": document["arrays"].pop("rows")}),
        lambda document: document.pop("arrays"),
        lambda document: document.update(manifest=None),
    ],
)
def test_a_strange_manifest_with_a_right_checksum_is_damage(
    store: Store, key: str, file: Path, change: Callable[[Any], Any]
) -> None:
    manifest = file.parent / "manifest.json"
    document = json.loads(manifest.read_text())
    change(document)
    manifest.write_text(json.dumps({**document, "checksum": seal(document)}))
    with pytest.raises(DamagedEntry):
        store.read(key)


def test_an_array_is_read_from_the_folder_of_its_entry_only(store: Store, key: str, file: Path) -> None:
    manifest = file.parent / "manifest.json"
    document = json.loads(manifest.read_text())
    document["arrays"]["../rows"] = document["arrays"].pop("rows")
    manifest.write_text(json.dumps({**document, "checksum": seal(document)}))
    file.rename(file.parent.parent / "rows.npy")  # whole, and where that name leads
    with pytest.raises(DamagedEntry, match="has a wrong one"):
        store.read(key)


@pytest.mark.parametrize(("field", "value"), [("dtype", "<i8"), ("shape", [N_ROWS * 2]), ("shape", [2, N_ROWS])])
def test_header_and_manifest_must_agree(store: Store, key: str, file: Path, field: str, value: Any) -> None:
    manifest = file.parent / "manifest.json"
    document = json.loads(manifest.read_text())
    document["arrays"]["rows"][field] = value
    manifest.write_text(json.dumps({**document, "checksum": seal(document)}))
    with pytest.raises(DamagedEntry, match="the manifest says"):
        read(store, key).checked("rows").take(np.array([0]))


def test_an_entry_under_a_wrong_key_is_not_served(store: Store, key: str, file: Path) -> None:
    other = store.key("pig", {"target": 50})
    file.parent.rename(store.root / other)
    with pytest.raises(DamagedEntry, match=f"belongs to entry {key}"):
        store.read(other)


def test_a_file_in_place_of_an_entry_is_damage(store: Store, key: str) -> None:
    store.root.mkdir()
    (store.root / key).write_text("not a folder")
    with pytest.raises(DamagedEntry, match="is not a folder"):
        store.read(key)
    assert isinstance(store.entries()[0], Damaged)
    store.write(key, {"rows": ROWS}, {})
    read(store, key).verify()


def test_a_damaged_entry_is_told_in_one_line(store: Store, key: str, file: Path) -> None:
    file.unlink()
    with pytest.raises(DamagedEntry) as caught:
        store.read(key)
    assert str(caught.value) == (
        f"cache entry {key} is damaged: rows.npy is missing; "
        f"it will be solved again, or remove it with 'rollwise cache clear {key}'"
    )
    assert (caught.value.key, caught.value.reason) == (key, "rows.npy is missing")


def test_writing_over_a_damaged_entry_repairs_it(store: Store, key: str, file: Path) -> None:
    file.unlink()
    store.write(key, {"rows": ROWS}, {})
    read(store, key).verify()
    assert temporary_names(store.root) == []


# Writing is all or nothing


@pytest.mark.parametrize(
    ("place", "number"),
    [("fsync", 0), ("fsync", 1), ("rename", 0), ("rename", 1), ("rename", 2), ("mkdir", 1)],  # the third rename puts in
)
@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS, errno.EACCES])
def test_a_failing_write_leaves_the_old_entry(
    store: Store, key: str, file: Path, monkeypatch: pytest.MonkeyPatch, place: str, number: int, code: int
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(os, place, fails(number, getattr(os, place), code))
        with pytest.raises(StoreError, match=f"cannot write .*{key}: {os.strerror(code)}") as caught:
            store.write(key, {"rows": ROWS + 1}, {})
    assert "\n" not in str(caught.value)
    np.testing.assert_array_equal(read(store, key).array("rows"), ROWS)
    assert temporary_names(store.root) == []


def test_an_interrupted_write_leaves_the_old_entry(
    store: Store, key: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(handle: int) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            store.write(key, {"rows": ROWS + 1}, {})
    np.testing.assert_array_equal(read(store, key).array("rows"), ROWS)
    assert temporary_names(store.root) == []


def test_a_file_in_place_of_the_cache_folder_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(tmp_path / "file")
    key = store.key("pig", {})
    locked = store.lock(key)
    for action in (
        lambda: store.read(key),
        lambda: store.write(key, {"rows": ROWS}, {}),
        lambda: store.checkpoint(key).save({}, {}),
        lambda: locked.__enter__(),
        store.entries,
        store.clear,
    ):
        with pytest.raises(StoreError, match=r"cannot (read|write|lock|list|clear) .*ROLLWISE_CACHE"):
            action()
    assert store.checkpoint(key).load() is None


@pytest.mark.parametrize("n_files_synced", [0, 1, 2])
def test_a_killed_write_leaves_nothing_that_counts(store: Store, key: str, file: Path, n_files_synced: int) -> None:
    script = """
synced = []
def die(handle):
    if len(synced) == int(sys.argv[3]):
        os._exit(9)
    synced.append(handle)
os.fsync = die
store.write(sys.argv[2], {"rows": np.zeros(100_000)}, {})
"""
    assert run(script, store.root, key, str(n_files_synced)).wait() == 9
    assert len(temporary_names(store.root)) == 1
    assert [entry.key for entry in store.entries()] == [key]
    np.testing.assert_array_equal(read(store, key).array("rows"), ROWS)
    store.clear()
    assert list(store.root.iterdir()) == []


def test_a_kill_between_the_two_renames_costs_the_entry_and_no_more(store: Store, key: str, file: Path) -> None:
    script = """
renames = []
real = os.rename
def die(old, new):
    if len(renames) == 2:
        os._exit(9)
    renames.append(new)
    real(old, new)
os.rename = die
store.write(sys.argv[2], {"rows": np.zeros(10)}, {})
"""
    assert run(script, store.root, key).wait() == 9
    assert store.entries() == []
    assert store.read(key) is None
    store.clear()
    assert list(store.root.iterdir()) == []


def test_a_reader_keeps_what_it_opened(store: Store, key: str, file: Path) -> None:
    entry = read(store, key)
    store.write(key, {"rows": ROWS + 1}, {})
    np.testing.assert_array_equal(entry.array("rows"), ROWS)
    store.remove(key)
    entry.verify()


def test_two_writers_and_a_reader_never_mix(store: Store, key: str) -> None:
    script = """
for number in range(int(sys.argv[3]), int(sys.argv[3]) + 20):
    array = np.full(20_000 + number, number)
    entry = store.write(sys.argv[2], {"one": array, "two": array}, {"number": number})
    assert entry.array("one")[0] == number
"""
    store.write(key, {"one": np.zeros(20_000, dtype=np.int64), "two": np.zeros(20_000, dtype=np.int64)}, {"number": 0})
    writers = [run(script, store.root, key, number) for number in ("100", "200")]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        entry = read(store, key)  # never absent, never damaged
        number = entry.manifest["number"]
        for name in ("one", "two"):
            array = entry.array(name)
            assert (array.shape, array.min(), array.max()) == ((20_000 + number,), number, number)
        assert [(type(other), other.key) for other in store.entries()] == [(Entry, key)]
        seen.add(number)
    assert [writer.returncode for writer in writers] == [0, 0]
    assert len(seen) > 1
    assert temporary_names(store.root) == []


def test_an_entry_that_is_replaced_between_manifest_and_arrays_is_read_again(
    store: Store, key: str, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def replaced_before(*arguments: Any, **named: Any) -> Entry:
        monkeypatch.setattr(folders, "open_entry", open_entry)
        store.write(key, {"rows": ROWS + 1}, {})
        return open_entry(*arguments, **named)

    monkeypatch.setattr(folders, "open_entry", replaced_before)
    np.testing.assert_array_equal(read(store, key).array("rows"), ROWS + 1)


# Locks, lists, checkpoints


def test_a_lock_is_for_one_at_a_time(store: Store, key: str) -> None:
    other = store.key("zilch", {})
    messages = []

    def try_it() -> None:
        try:
            with store.lock(key, timeout=0):
                messages.append("got it")
        except EntryBusy as busy:
            messages.append(str(busy))

    with store.lock(key):
        thread = threading.Thread(target=try_it)
        thread.start()
        thread.join()
        with store.lock(other, timeout=0):
            pass
    try_it()
    assert messages[0].startswith(f"another process is working on {key}")
    assert messages[1:] == ["got it"]


def test_a_lock_ends_with_its_process(store: Store, key: str) -> None:
    held = run("lock = store.lock(sys.argv[2]); lock.__enter__(); os._exit(9)", store.root, key)
    assert held.wait() == 9
    with store.lock(key, timeout=0):
        pass


def test_an_error_under_the_lock_is_passed_on_as_it_is(store: Store, key: str) -> None:
    with pytest.raises(OSError, match="mine"), store.lock(key):
        raise OSError("mine")
    with store.lock(key, timeout=0):
        pass


def test_entries_are_listed_by_key_good_and_damaged(store: Store) -> None:
    keys = [store.key(name, {}) for name in ("zilch", "pig", "craps")]
    for key in keys:
        store.write(key, {"rows": ROWS}, {"name": key})
    (store.root / keys[1] / "rows.npy").unlink()
    (store.root / "documents").mkdir()
    entries = store.entries()
    assert [entry.key for entry in entries] == sorted(keys)
    assert [entry.reason for entry in entries if isinstance(entry, Damaged)] == ["rows.npy is missing"]
    good = [entry for entry in entries if isinstance(entry, Entry)]
    assert [entry.manifest["name"] for entry in good] == [entry.key for entry in good]
    for entry in good:
        entry.verify()


def test_remove_frees_what_an_entry_held(store: Store, key: str, file: Path) -> None:
    size = read(store, key).size
    assert store.remove(key) == size
    assert store.read(key) is None
    assert list(store.root.iterdir()) == []


def test_clear_leaves_a_held_lock_and_what_is_not_ours(store: Store, key: str, file: Path) -> None:
    free = store.key("free", {})
    with store.lock(free):
        pass
    store.checkpoint(key).save({"rows": ROWS}, {})
    alive = store.root / f".tmp-{os.getpid()}-00ff-{key}"
    old = store.root / f".tmp-{os.getpid()}-00fe-{key}"
    not_ours = store.root / "documents"
    for folder in (alive, old, not_ours):
        folder.mkdir()
    os.utime(old, (time.time() - 90_000,) * 2)
    with store.lock(key):
        assert store.clear() > 2 * ROWS.nbytes
        left = sorted(str(path.relative_to(store.root)) for path in store.root.rglob("*"))
        assert left == sorted([alive.name, "checkpoints", "documents", "locks", f"locks/{key}.lock"])


def test_a_checkpoint_comes_back_until_it_is_discarded(store: Store, key: str) -> None:
    checkpoint = store.checkpoint(key)
    for level in range(3):
        checkpoint.save({"rows": ROWS + level}, {"level": level})
    loaded = store.checkpoint(key).load()
    assert loaded is not None
    arrays, manifest = loaded
    np.testing.assert_array_equal(arrays["rows"], ROWS + 2)
    assert manifest == {"level": 2}
    assert arrays["rows"].flags.writeable
    checkpoint.discard()
    checkpoint.discard()
    assert checkpoint.load() is None


def test_a_checkpoint_is_never_an_entry(store: Store, key: str) -> None:
    store.checkpoint(key).save({"rows": ROWS}, {})
    assert store.read(key) is None
    assert store.entries() == []
    (store.root / "checkpoints" / key).rename(store.root / key)
    with pytest.raises(DamagedEntry, match="belongs to checkpoint"):
        store.read(key)


@pytest.mark.parametrize("position", [0, 200, -1])
def test_a_damaged_checkpoint_is_none(store: Store, key: str, position: int) -> None:
    store.checkpoint(key).save({"rows": ROWS}, {})
    folder = store.root / "checkpoints" / key
    flip(folder / "rows.npy", position)
    assert store.checkpoint(key).load() is None
    store.checkpoint(key).save({"rows": ROWS}, {})
    flip(folder / "manifest.json", position)
    assert store.checkpoint(key).load() is None


# Fingerprints

TOY = {
    "toya/__init__.py": "",
    "toya/pig.py": "import numpy\nfrom toya import (\n    words,  # (all)\n    more,\n)\nfrom toyb.deep import f\n",
    "toya/words.py": "def late():\n    import toyb.kernels as k\n    return k\n",
    "toya/more.py": "from . import beside\nfrom .beside import x\nfrom toya.absent import y\n",
    "toya/beside.py": "import toyb.one, toyb.two\nif True: from toyb import \\\n    three\n",
    "toya/zilch.py": "# from nothing\n",
    "toyb/__init__.py": "",
    "toyb/kernels.py": "import importlib\nimportlib.import_module('toyb.named')\nimport toyc.other\n",
    "toyb/named.py": "import toya.pig  # a circle\n",
    "toyb/one.py": "x = 1; import toyb.four; y = 2\n",
    "toyb/two.py": "",
    "toyb/three.py": "",
    "toyb/four.py": "",
    "toyb/unused.py": "raise SystemExit\n",
    "toyb/deep/__init__.py": "from toyb.deep.inner import f\n",
    "toyb/deep/inner.py": "def f(): pass\n",
    "toyc/__init__.py": "",
    "toyc/other.py": "",
}
UNRELATED = {"toya/zilch.py", "toyb/unused.py", "toyc/__init__.py", "toyc/other.py"}


@pytest.fixture
def toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in TOY.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def of_pig() -> str:
    return fingerprint(["toya.pig"], ("toya", "toyb"))


@pytest.mark.parametrize("name", TOY)
def test_a_fingerprint_changes_with_what_is_imported_and_with_nothing_else(toys: Path, name: str) -> None:
    before = of_pig()
    assert of_pig() == before
    with open(toys / name, "a") as file:
        file.write("\n")
    assert (of_pig() == before) == (name in UNRELATED)


def test_a_fingerprint_changes_when_an_imported_name_becomes_a_module(toys: Path) -> None:
    before = of_pig()
    (toys / "toya/absent.py").write_text("")
    assert of_pig() != before


def test_a_fingerprint_takes_the_names_of_modules_in(toys: Path) -> None:
    assert len({fingerprint([f"toyb.{name}"], ["toyb"]) for name in ("two", "three", "four")}) == 3


def test_a_fingerprint_does_not_depend_on_order_and_imports_nothing(toys: Path) -> None:
    names = ["toya.pig", "toyb.unused", "toya.zilch"]
    assert fingerprint(names, ["toya", "toyb"]) == fingerprint(names[::-1], {"toyb", "toya"})
    assert not any(name.startswith("toy") for name in sys.modules)


@pytest.mark.parametrize("name", ["toya.zilhc", "toya.pig.words", "toyz", "toyz.pig", "", "toya..pig"])
def test_a_missing_module_is_told(toys: Path, name: str) -> None:
    with pytest.raises(MissingSource, match="no source file for module"):
        fingerprint([name], ["toya"])


# --- checkpoints that only grow ---------------------------------------------------------------------------------------


def test_what_a_checkpoint_had_before_is_linked_to_and_not_written_again(tmp_path: Path) -> None:
    checkpoint = Checkpoint("pig-0000", tmp_path / "unfinished")
    first, second = np.arange(5.0), np.arange(7.0)
    checkpoint.save({"from_0": first}, {"level": 1}, written_once=True)
    number = (tmp_path / "unfinished" / "from_0.npy").stat().st_ino
    checkpoint.save({"from_0": first * 0, "from_5": second}, {"level": 2}, written_once=True)
    assert (tmp_path / "unfinished" / "from_0.npy").stat().st_ino == number
    for again in (checkpoint, Checkpoint("pig-0000", tmp_path / "unfinished")):
        loaded = again.load()
        assert loaded is not None
        assert loaded[0]["from_0"].tolist() == first.tolist()  # as it was written
        assert loaded[0]["from_5"].tolist() == second.tolist()
        assert loaded[1] == {"level": 2}
    later = Checkpoint("pig-0000", tmp_path / "unfinished")
    assert later.load() is not None
    later.save({"from_0": first, "from_5": second[:3]}, {"level": 3}, written_once=True)  # another array
    assert (tmp_path / "unfinished" / "from_0.npy").stat().st_ino == number
    loaded = later.load()
    assert loaded is not None
    assert loaded[0]["from_5"].tolist() == [0, 1, 2]


def test_a_checkpoint_that_may_change_is_written_whole(tmp_path: Path) -> None:
    checkpoint = Checkpoint("pig-0000", tmp_path / "unfinished")
    for number in (1.0, 2.0):
        checkpoint.save({"value": np.full(5, number)}, {})
    loaded = checkpoint.load()
    assert loaded is not None
    assert loaded[0]["value"].tolist() == [2.0] * 5


def test_where_nothing_can_be_linked_a_checkpoint_is_written_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, "no links here")

    monkeypatch.setattr(os, "link", refuse)
    checkpoint = Checkpoint("pig-0000", tmp_path / "unfinished")
    for _ in range(2):
        checkpoint.save({"from_0": np.arange(5.0)}, {}, written_once=True)
    loaded = checkpoint.load()
    assert loaded is not None
    assert loaded[0]["from_0"].tolist() == [0, 1, 2, 3, 4]
