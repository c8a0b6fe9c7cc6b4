// Reads a form with a file. It is read only for a visitor with access, and memory is limited by the file's maximum: the
// rest is discarded up to the end, as a browser reads no response before it has sent everything.
import type { FastifyRequest } from 'fastify'
import type { FileSent } from '../../kit/declare/route.ts'
import { tooManyFields } from '../../kit/values/errors.ts'
import { baseName, readBoundary, NotForm, readFormParts } from '../../kit/values/multipart.ts'
import { readPageForm, getMaxFields, maxFormBytes, type Form } from './form.ts'

export type FileField = { field: string; maxBytes: number }

/** `too_large` stands for a file over the limit. */
export type UploadedForm = { form: Form; file: FileSent | 'too_large' | null }

export async function readUpload(
  request: FastifyRequest,
  { field, maxBytes: maximumBytes }: FileField,
): Promise<UploadedForm> {
  const boundary = readBoundary(request.headers['content-type'] ?? '')
  if (!boundary) return { form: readPageForm(request), file: null }
  const { chunks, isWhole } = await readUpTo(request, maximumBytes + maxFormBytes)
  // The fields before the file are kept, so that the form can be shown again.
  const body = Buffer.concat(isWhole ? chunks : [...chunks, Buffer.from(`\r\n--${boundary}--\r\n`)])
  const fields = await readFormFields(body, boundary, field, getMaxFields(request))
  return { ...fields, file: isWhole && (fields.file?.bytes.length ?? 0) <= maximumBytes ? fields.file : 'too_large' }
}

async function readUpTo({ raw }: FastifyRequest, maxBytes: number): Promise<{ chunks: Buffer[]; isWhole: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of raw as AsyncIterable<Buffer>) {
    if (length < maxBytes) chunks.push(chunk.subarray(0, maxBytes - length))
    length += chunk.length
  }
  return { chunks, isWhole: length <= maxBytes }
}

async function readFormFields(
  body: Buffer,
  boundary: string,
  field: string,
  most: number,
): Promise<{ form: Form; file: FileSent | null }> {
  const form: Form = {}
  let file: FileSent | null = null
  let parts = 0
  try {
    for await (const { name, filename, content } of readFormParts(body, boundary)) {
      // Beside the fields there is one file.
      if (++parts > most + 1) throw tooManyFields(most)
      // A browser sends a file without a name if none was chosen.
      if (filename !== null) {
        const isChosen = content.length > 0 || filename !== ''
        if (name === field && isChosen) file = { bytes: content, name: baseName(filename) }
        continue
      }
      const value = content.toString('utf8')
      form[name] = Object.hasOwn(form, name) ? [form[name] ?? [], value].flat() : value
    }
  } catch (error) {
    if (!(error instanceof NotForm)) throw error
    return { form: {}, file: null }
  }
  return { form, file }
}
