// Reads unsaved input, and leaves invalid values out.
import type { Reader } from '../../kit/declare/shape.ts'
import { ApiError } from '../../kit/values/errors.ts'
import type { PageContext } from './screen.ts'

export function readLeniently<T>(reader: Reader<T>, body: Record<string, unknown>, { store }: PageContext): T {
  try {
    return reader.read(body, store)
  } catch (error) {
    if (!(error instanceof ApiError) || error.faults.length === 0) throw error
    const wrong = new Set(error.faults.map(({ field }) => field.split('.')[0]!))
    return reader.read(Object.fromEntries(Object.entries(body).filter(([name]) => !wrong.has(name))), store)
  }
}
