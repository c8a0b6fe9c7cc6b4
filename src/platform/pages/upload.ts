// Reads a form with a file. It is read only for a visitor with access, and memory is limited by the file's maximum: the
// rest is discarded up to the end, as a browser reads no response before it has sent everything.
import type { FastifyRequest } from 'fastify'
import type { FileSent } from '../../kit/declare/route.ts'
import { requireFewFields, formOf, maxFieldsOf, maxFormBytes, type Form } from './form.ts'

export type FileField = { field: string; maxBytes: number }

/** `too_large` stands for a file over the limit. */
export type UploadedForm = { form: Form; file: FileSent | 'too_large' | null }

export async function readUpload(
  request: FastifyRequest,
  { field, maxBytes: maximumBytes }: FileField,
): Promise<UploadedForm> {
  const type = request.headers['content-type'] ?? ''
  const boundary = /^multipart\/form-data;.*\bboundary="?([^";]{1,70})/i.exec(type)?.[1]
  if (!boundary) return { form: formOf(request), file: null }
  const { bytes, isWhole } = await readUpTo(request, maximumBytes + maxFormBytes)
  // The fields before the file are kept, so that the form can be shown again.
  const body = isWhole ? bytes : Buffer.concat([bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])
  const fields = await fieldsOf(body, type, field)
  requireFewFields(fields.form, maxFieldsOf(request))
  return { ...fields, file: isWhole && (fields.file?.bytes.length ?? 0) <= maximumBytes ? fields.file : 'too_large' }
}

async function readUpTo({ raw }: FastifyRequest, maxBytes: number): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of raw as AsyncIterable<Buffer>) {
    if (length < maxBytes) chunks.push(chunk)
    length += chunk.length
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isWhole: length <= maxBytes }
}

async function fieldsOf(body: Buffer, type: string, field: string): Promise<{ form: Form; file: FileSent | null }> {
  const headers = { 'content-type': type }
  const read = await new Response(body as Uint8Array<ArrayBuffer>, { headers }).formData().catch(() => new FormData())
  const form: Form = {}
  let file: FileSent | null = null
  for (const [name, value] of read) {
    if (typeof value !== 'string') {
      // A browser sends an empty file if none was chosen.
      if (name === field && value.size > 0) file = { bytes: Buffer.from(await value.arrayBuffer()) }
    } else if (!Object.hasOwn(form, name)) form[name] = value
    else form[name] = [form[name] ?? [], value].flat()
  }
  return { form, file }
}
