/**
 * Words for distractor sessions. Projects, people, places and things are those of the hand-written sessions beside them, so
 * that what is asked for there has rivals that share its words and have other facts.
 */
export const coding = {
  project: ["ferry", "lantern", "kiln", "gauge", "ferry-web", "ferry-admin"],
  person: ["Mira", "Tomas", "Wen", "Oskar", "Priya", "Anselm"],
  component: (
    "booking service|seat map|ticket printer|payment webhook|session cache|photo uploader|album list|sync queue|thumbnail worker|" +
    "task graph|artifact cache|watcher|lockfile reader|metric ingester|rollup job|alert router|query planner|migration runner|" +
    "login page|export job|rate limiter|search box|invoice renderer|deploy script|feature flag client|retry helper"
  ).split("|"),
  file: (
    "src/booking/hold.ts|src/booking/release.ts|src/payments/webhook.ts|src/db/pool.ts|src/db/migrate.ts|app/album/AlbumList.tsx|" +
    "app/sync/queue.ts|app/upload/chunked.ts|crates/graph/src/lib.rs|crates/cache/src/store.rs|crates/watch/src/poll.rs|" +
    "gauge/ingest/batch.py|gauge/rollup/hourly.py|gauge/alerts/router.py|infra/terraform/main.tf|.github/workflows/test.yml|" +
    "scripts/release.sh|src/http/limits.ts|src/cache/session.ts|tests/booking/hold.test.ts|package.json|Cargo.toml|pyproject.toml"
  ).split("|"),
  name: (
    "holdSeats|releaseHold|expireHolds|parseTicket|renderInvoice|retryWithBackoff|loadConfig|mergeAlbums|enqueueUpload|chunkSize|" +
    "resolve_graph|read_lockfile|hash_inputs|flush_batch|rollup_hour|route_alert|max_in_flight|pool_size|idle_timeout_ms|poll_interval"
  ).split("|"),
  service: "Postgres|Redis|pgbouncer|nginx|S3|Stripe|Kafka|ClickHouse|SQLite|the CDN|GitHub Actions|Docker".split("|"),
  cause: (
    "the connection was returned twice|the clock of the runner was ahead|a migration held a lock|the cache key left out the branch|" +
    "two workers took the same row|the index was not used|a retry fired after the deadline|the test shared a port|the file was read before it was flushed|" +
    "the timezone was taken as local|the header was lower case|the batch was larger than the limit|a promise was never awaited|the token had expired|" +
    "the container ran out of memory|the glob matched the build folder|the pool was exhausted|the event arrived twice|a symlink pointed outside"
  ).split("|"),
  measure: (
    "raise the pool size to {n}|set the timeout to {n} seconds|add an index on {name}|retry at most {n} times|move the check in front of the write|" +
    "pin the version to {version}|split the job in two|hold an advisory lock|cache it for {n} minutes|drop the old column a release later|" +
    "run it with a concurrency of {n}|log the request id|turn the flag off for {n} % of the users|write to a temporary file and rename it|batch {n} rows at a time"
  ).split("|"),
  error: (
    "Error: connect ECONNREFUSED 127.0.0.1:{port}|Error: listen EADDRINUSE: address already in use :::{port}|" +
    "error: deadlock detected while updating {name}|FATAL: remaining connection slots are reserved|TypeError: Cannot read properties of undefined (reading '{name}')|" +
    "error[E0502]: cannot borrow `{name}` as mutable|ModuleNotFoundError: No module named 'gauge.{name}'|ENOSPC: no space left on device, write|" +
    "AssertionError: expected {n} to equal {m}|Error: Timeout of {n}000ms exceeded|canceling statement due to lock timeout|npm ERR! code ERESOLVE"
  ).split("|"),
  command: (
    "npm test -- {file}|cargo test -p graph|pytest -k {name}|psql -c 'select count(*) from bookings'|git log --oneline -n {n}|" +
    "docker compose up -d|rg {name} src|npm run build|terraform plan|gh run view {m}"
  ).split("|"),
} as const;

export const everyday = {
  person:
    "Jonas|Lotte|Petra|Idris|Maren|Nadia|Wen|Aunt Gerda|Tobias|Yusuf|Clara|my mother|my brother|the neighbour".split(
      "|",
    ),
  place:
    "Porto|Trieste|Ghent|the Lofoten|Lisbon|Bologna|Kraków|Utrecht|the Harz|Gdańsk|Marseille|Ljubljana|Tallinn|Seville".split(
      "|",
    ),
  food: (
    "lentil soup|rye bread|plum cake|mushroom risotto|pickled cucumbers|shakshuka|potato salad|miso aubergine|chestnut stuffing|" +
    "sourdough pancakes|fish stew|apple strudel|chickpea curry|onion tart|beetroot hummus"
  ).split("|"),
  amount:
    "200 g|a teaspoon|half a cup|three cloves|40 minutes|180 degrees|two eggs|a pinch|overnight|15 minutes|500 ml".split(
      "|",
    ),
  thing: (
    "dishwasher|bicycle|heat pump|laptop|router|washing machine|tent|standing desk|coffee grinder|smoke detector|printer|" +
    "record player|balcony door|car battery|electric toothbrush|sewing machine"
  ).split("|"),
  fault:
    "leaks|makes a grinding noise|won't switch on|smells of burning|shows E{n}|is too loud|keeps disconnecting|trips the fuse".split(
      "|",
    ),
  money:
    "the deposit|the electricity bill|health insurance|the tax return|a savings account|the train pass|the mortgage|pocket money|the gym contract".split(
      "|",
    ),
  health:
    "a sore knee|hay fever|a migraine|a bad back|sleeping badly|low iron|a cough|a sprained wrist|a toothache|dry eyes".split(
      "|",
    ),
  event:
    "a birthday|a wedding|the school play|a job interview|the housewarming|a dentist appointment|the parents' evening|a marathon|a house viewing|the choir concert".split(
      "|",
    ),
  day: "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday".split("|"),
  month: "January|February|March|April|May|June|July|August|September|October|November|December".split("|"),
  weather: "rainy|windy|warm|foggy|freezing|mild".split("|"),
} as const;
