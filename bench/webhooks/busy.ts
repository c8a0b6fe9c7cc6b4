// Takes SHARE of a core, at most all of it, as PostgreSQL does while deliveries are written down: some milliseconds at
// a time.
const busyMs = 2
const idleMs = busyMs / Number(process.env.SHARE) - busyMs

function turn(): void {
  const until = performance.now() + busyMs
  while (performance.now() < until);
  if (idleMs > 0) setTimeout(turn, idleMs)
  else setImmediate(turn)
}

process.on('disconnect', () => process.exit())
turn()
