// List files as separate operations: in one operation, the response of a list would be text or an object.
import type { Route } from '../../kit/declare/route.ts'
import { fileTypes, listFileForms, type FileForm } from '../files.ts'
import { responseHeaders } from './headers.ts'
import { pascalCase } from './names.ts'

const names: Record<FileForm, string> = { csv: 'CSV', jsonl: 'JSON Lines', xlsx: 'XLSX', 'shopify.csv': 'Shopify CSV' }
/** A file is the whole list. */
const ofPages = ['page', 'per_page', 'sort', 'order', 'cursor']

/** Path → operation. `list` is the operation of the list. */
export function fileOperations(route: Route, list: Record<string, any>): [path: string, operation: object][] {
  const parameters = list.parameters.filter(({ name }: any) => !ofPages.includes(name))
  return listFileForms(route).map((form) => [
    `${route.path}.${form}`,
    {
      ...list,
      operationId: `${list.operationId}${pascalCase(form)}`,
      summary: `${list.summary} as ${form === 'xlsx' ? 'an' : 'a'} ${names[form]} file`,
      parameters: parameters.filter(({ $ref = '' }: any) => !$ref.endsWith('/IfNoneMatch')),
      responses: { ...withoutJson(list.responses), 200: fileAnswer(form) },
    },
  ])
}

function withoutJson({ 304: _, ...responses }: Record<string, object>): object {
  return responses
}

function fileAnswer(form: FileForm): object {
  const schema = form === 'xlsx' ? { type: 'string', format: 'binary' } : { type: 'string' }
  const content = { [fileTypes[form]]: { schema } }
  return { description: 'The whole list, filtered but not paged', headers: responseHeaders(), content }
}
