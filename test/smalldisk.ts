// A file system of its own, without room when asked. Needs root on Linux.
import { execFile, execFileSync } from 'node:child_process'
import { appendFileSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export type SmallDisk = { folder: string; fill(): Promise<void>; empty(): void; remove(): void }

const roundedOff = 1_000_000

export function mountSmallDisk(megabytes: number): SmallDisk {
  const folder = mkdtempSync(join(tmpdir(), 'stoa-disk-'))
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=755`, 'tmpfs', folder])
  const ballast = join(folder, 'ballast')
  return {
    folder,
    async fill() {
      const { bavail, bsize } = statfsSync(folder)
      // All of it at once would fail as a whole when something else takes a page meanwhile.
      await promisify(execFile)('fallocate', ['-l', String(Math.max(bsize, bavail * bsize - roundedOff)), ballast])
      try {
        for (;;) appendFileSync(ballast, Buffer.alloc(bsize))
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    },
    empty: () => rmSync(ballast, { force: true }),
    remove() {
      execFileSync('umount', ['--lazy', folder])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
