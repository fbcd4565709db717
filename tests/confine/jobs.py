"""Jobs for the workers' tests: good ones, and every kind of bad one."""

import os
import time


def upper(payload: bytes) -> bytes:
    return payload.upper()


def same(payload: bytes) -> bytes:
    return payload


def pid(_: bytes) -> bytes:
    return str(os.getpid()).encode()


def sleep(payload: bytes) -> bytes:
    time.sleep(float(payload))
    return b"slept"
