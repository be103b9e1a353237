"""What the module does, whichever tool has made it: `m` is the module."""

import numpy as np
import pytest


def test_signals(m):
    signal = m.Signal([1.0, 2.0, 3.0])
    assert len(signal) == 3 and list(signal) == [1, 2, 3] and signal.mean() == 2 and signal[1] == 2
    signal[1] = 5
    signal.push(7)
    assert signal.values() == [1, 5, 3, 7] and signal.rate == 1
    signal.rate = 8000
    assert signal.rate == 8000 and m.Signal(4).rate == 44100 and m.Signal(size=2, rate=5)[1] == 0
    with pytest.raises(IndexError):
        signal[9]
    items = iter(m.Signal([1.0, 2.0]))
    assert next(items) == 1 and next(items) == 2


def test_buffers(m):
    signal = m.Signal([1.0, 2.0])
    view = np.asarray(signal)
    view[0] = 9
    assert view.shape == (2,) and signal[0] == 9
    image = m.Image(2, 3)
    image.fill(1.5)
    pixels = np.asarray(image)
    assert pixels.shape == (2, 3) and pixels.dtype == np.float32 and pixels.sum() == 9 and image.shape == (2, 3)


def test_spectrum(m):
    spectrum = m.Spectrum()
    spectrum["low"] = 0.5
    assert spectrum["low"] == 0.5 and dict(spectrum.items()) == {"low": 0.5} and spectrum.phase == 1j
    with pytest.raises(KeyError):
        spectrum["high"]
    spectrum.bands = {"a": 1.0}
    assert dict(spectrum.bands) == {"a": 1.0}


def test_arrays_in(m):
    values = np.array([1.0, 2.0, 4.0])
    assert m.total(values) == 7 and m.power(values) == 7 and m.stats(values) == (1, 4)
    assert m.trace(np.eye(3, dtype=np.float32)) == 3
    m.scale(values, 2)
    assert values.tolist() == [2, 4, 8]


def test_arrays_out(m):
    assert np.asarray(m.ramp(4)).tolist() == [0, 1, 2, 3]
    outer = np.asarray(m.outer(np.array([1.0, 2.0]), np.array([3.0, 4.0, 5.0])))
    assert outer.tolist() == [[3, 4, 5], [6, 8, 10]]
    assert np.asarray(m.doubled(np.array([1.5, 2.0]))).tolist() == [3, 4]


def test_values(m):
    assert m.rotate(1) == 1j and m.bits(b"ab") == 16
