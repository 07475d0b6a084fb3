-- SPDX-License-Identifier: Apache-2.0
-- A run of ompcollect. Times are in seconds; those of threads add up over threads. NULL is "not
-- known". docs/SQLITE.md has example queries.

CREATE TABLE process (
  process INTEGER PRIMARY KEY,
  pid INTEGER, parent_pid INTEGER,
  program TEXT, command TEXT, host TEXT,
  rank TEXT,                 -- of an MPI job; empty: none
  begin REAL,                -- seconds since 1970
  seconds REAL, cpu_seconds REAL,
  exit_code INTEGER,         -- -1: not known
  runtime TEXT,
  rate INTEGER,              -- samples a second of a running thread
  parallel_efficiency REAL,  -- the product of the next three
  mpi_efficiency REAL, serialisation REAL, load_balance REAL, scheduling REAL,
  lost REAL                  -- share of the elapsed time, all causes together
);

CREATE TABLE warning (       -- what should make a reader doubt the numbers
  process INTEGER REFERENCES process,
  name TEXT, severity TEXT, text TEXT
);

CREATE TABLE state (
  state TEXT PRIMARY KEY,    -- "WORK", "IBAR", ...
  words TEXT, meaning TEXT,
  kind TEXT                  -- useful, barrier, mutex, reduction, runtime, idle, no processor, ...
);

CREATE TABLE thread (
  thread INTEGER PRIMARY KEY,
  process INTEGER REFERENCES process,
  number INTEGER,            -- in the order of first sight
  tid INTEGER, is_initial INTEGER,
  begin REAL, "end" REAL,    -- from the begin of the process
  samples INTEGER,
  cpu_seconds REAL, waited_seconds REAL
);

CREATE TABLE node (          -- call tree of functions and regions
  node INTEGER PRIMARY KEY,
  process INTEGER REFERENCES process,
  parent INTEGER REFERENCES node,
  kind TEXT,                 -- function, region, or place: time that is in no call path
  name TEXT, source TEXT,    -- "file:line"
  module TEXT, "offset" INTEGER,
  entries INTEGER,           -- of a region, at the first of its nodes
  region INTEGER REFERENCES node -- the region at or above it; NULL: none
);

CREATE TABLE cell (          -- all time: one row per thread, node and state
  process INTEGER REFERENCES process,
  thread INTEGER REFERENCES thread,
  node INTEGER REFERENCES node,
  state TEXT REFERENCES state,
  within TEXT REFERENCES state, -- OpenMP's state, where the thread was asleep or had no processor
  call TEXT,                 -- the system call in which it slept
  wall REAL, cpu REAL, samples INTEGER
);

CREATE TABLE region (        -- figures of a parallel region, without the regions inside it
  node INTEGER PRIMARY KEY REFERENCES node,
  process INTEGER REFERENCES process,
  place TEXT,
  team INTEGER, threads INTEGER, entries INTEGER,
  mean_length REAL,          -- of one entry
  elapsed REAL,              -- of the thread that was longest in it
  seconds REAL,              -- of all threads, idle ones too: the sum of its cells
  potential_gain REAL,       -- elapsed time that nobody's waiting would save
  work_min REAL, work_mean REAL, work_max REAL,
  samples INTEGER
);

CREATE TABLE region_thread ( -- what a thread did in a region
  node INTEGER REFERENCES region,
  thread INTEGER REFERENCES thread,
  work REAL, barrier REAL, asleep REAL, no_processor REAL, idle REAL, runtime REAL
);

CREATE TABLE finding (       -- losses by cause, most expensive first
  process INTEGER REFERENCES process,
  position INTEGER, cause TEXT, title TEXT,
  node INTEGER REFERENCES node, place TEXT,
  seconds REAL,              -- of elapsed time
  share REAL, least_share REAL, most_share REAL,
  samples INTEGER, evidence TEXT, cure TEXT
);

CREATE TABLE blame (         -- code that worked while other threads waited
  process INTEGER REFERENCES process,
  node INTEGER REFERENCES node,
  seconds REAL, samples INTEGER
);

CREATE TABLE lock (
  lock INTEGER PRIMARY KEY,
  process INTEGER REFERENCES process,
  state TEXT REFERENCES state,
  object TEXT, first_wait TEXT,
  waits INTEGER, wall REAL, samples INTEGER
);

CREATE TABLE holder (        -- code that held a lock while others waited
  lock INTEGER REFERENCES lock,
  node INTEGER REFERENCES node,
  place TEXT, wall REAL, samples INTEGER
);

CREATE TABLE line (          -- time by source line and state
  process INTEGER REFERENCES process,
  source TEXT, function TEXT, text TEXT,
  state TEXT REFERENCES state,
  wall REAL, cpu REAL
);

CREATE TABLE slice (         -- the time line; empty without samples that have times
  thread INTEGER REFERENCES thread,
  begin REAL, "end" REAL,    -- from the begin of the process
  node INTEGER REFERENCES node,
  state TEXT REFERENCES state
);

CREATE VIEW path AS          -- of each node, from its root
  WITH RECURSIVE walk(node, text) AS (
    SELECT node, name FROM node WHERE parent IS NULL
    UNION ALL
    SELECT node.node, walk.text || ';' || node.name FROM walk JOIN node ON node.parent = walk.node)
  SELECT node, text FROM walk;
