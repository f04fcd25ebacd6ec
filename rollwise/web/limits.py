"""Limits of the server: how much at once, how large, how long. All of them stand here, each read where it is used."""

from __future__ import annotations

# --- connections ------------------------------------------------------------------------------------------------------

MAX_CONNECTIONS = 800
FILES_PER_CONNECTION = 3  # open files allowed for each connection; a table being sent is a file too
HEAD_TIMEOUT_S = 20.0  # for the head of a request to arrive whole
MAX_HEAD_BYTES = 16_384  # of a request before its body
LISTEN_BACKLOG = 100  # connections not yet accepted
UNREAD_TIMEOUT_S = 60  # for a client that reads nothing of an answer
SHUTDOWN_TIMEOUT_S = 1  # for answers under way when the server ends

# --- requests ---------------------------------------------------------------------------------------------------------

MAX_REQUESTS = 500  # answered at the same time, streams included
MAX_URL_BYTES = 8_000  # of path and query
MAX_BODY_BYTES = 1_000_000  # of a request
MAX_RECORD_BYTES = 200_000  # as JSON or as text
BODY_TIMEOUT_S = 30.0  # for a body to arrive
TABLE_TIMEOUT_S = 3600.0  # for writing a table, which takes longer than other answers
MAX_LOGGED_CHARS = 500  # of a question in the log

# --- questions in threads ---------------------------------------------------------------------------------------------

MAX_THREADS = 4
MAX_QUEUED = 200
THREAD_LIMIT_S = 2.0  # of a question in a thread

# --- jobs in processes ------------------------------------------------------------------------------------------------

MAX_RUNNING = 2  # of each kind; one of them may be long
MAX_WAITING = 4  # of each kind
SHORT_SOLVE_S = 10.0  # of planned time; such a solve need not wait for a longer one
AUTO_SOLVE_S = 3.0  # of planned time; a shorter solve starts with the question
RETRY_DELAY_S = 30.0  # after a failed or stopped solve, before a request begins it again
ABANDONED_AFTER_S = 20.0  # after which a question without a waiting client is ended
MAX_QUESTION_S = 600.0  # after which any question is ended
STOP_GRACE_S = 20.0  # for an ending process to store its progress
IDLE_TIMEOUT_S = 300.0  # after which a process without an order ends
JOB_LIFETIME_S = 3600.0  # of a finished job
MAX_FINISHED_JOBS = 200
MAX_ANSWER_BYTES = 20_000_000  # of stored answers
MAX_LINE_BYTES = 100_000_000  # of what a process says at once
ERROR_TAIL_BYTES = 2000  # of a process's stderr
HEARTBEAT_S = 15.0  # without news, before an event says so
TICK_S = 1.0  # after which the time that is left is told anew
REPORT_INTERVAL_S = 0.2  # between reports of a process
