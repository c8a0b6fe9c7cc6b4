// Creates folders below DATA_DIR, with clear error messages.
import { access, constants, mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { getSystemErrorMessage } from 'node:util'

/**
 * Makes a folder and its parents, and checks that it is writable. Goes step by step, as Node's recursive mkdir loops
 * forever where the system answers ENOENT for an impossible folder, such as one below /proc.
 */
export async function makeFolder(folder: string, mode: number): Promise<void> {
  try {
    await makeSteps(path.resolve(folder), mode)
    await access(folder, constants.W_OK)
  } catch (error) {
    const { errno } = error as NodeJS.ErrnoException
    const reason = errno === undefined ? (error as Error).message : getSystemErrorMessage(errno)
    throw new Error(`DATA_DIR ${folder} cannot be used: ${reason}. Set DATA_DIR to a writable folder`, { cause: error })
  }
}

async function makeSteps(folder: string, mode: number): Promise<void> {
  const existing = await stat(folder).catch(() => null)
  if (existing?.isDirectory()) return
  if (existing) throw new Error('it is a file')
  await makeSteps(path.dirname(folder), mode)
  await mkdir(folder, { mode }).catch((error: NodeJS.ErrnoException) => {
    // Another process may have made it in the meantime.
    if (error.code !== 'EEXIST') throw error
  })
}
