// Validates an input by a JSON Schema, with Ajv, and reports faults. Inputs that are full of faults cost no more.
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import { plainDigits } from '../values/digits.ts'
import { maxEmailLength, withAsciiDomain } from '../values/emails.ts'
import { reason, type Fault, type Reason, generalFaults } from '../values/faults.ts'
import type { JsonSchema } from './field.ts'

const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: true })
addFormats.default(ajv)
const asciiEmail = ajv.formats.email as RegExp
ajv.addFormat('email', (text) => {
  const address = withAsciiDomain(text)
  return address.length <= maxEmailLength && asciiEmail.test(address)
})
// 6 to 15 digits (E.164 §6.2.1), grouped as people write them.
ajv.addFormat('phone', (text) => /^(?=(\D*\d){6,15}\D*$)\+?[\d\s().\-/]+$/.test(plainDigits(text)))

/** The schema is compiled on first use. */
export function schemaFaults(schema: JsonSchema): (input: unknown) => Fault[] {
  let validate: ValidateFunction | undefined
  return (input) => {
    validate ??= ajv.compile(limitsFirst(schema))
    return validate(input) ? [] : validate.errors!.filter(isTold).map(toSchemaFault)
  }
}

// Keywords that are checked only if the preceding limit holds.
// prettier-ignore
const behindLimits: [limit: string, keywords: string[]][] = [
  ['maxItems',  ['items', 'uniqueItems']],
  ['maxLength', ['pattern', 'format']],
  ['maxProperties', ['propertyNames', 'additionalProperties']],
]

/** The same schema, except that a list or a text over its maximum is refused before its contents are checked. */
function limitsFirst(schema: JsonSchema): JsonSchema {
  const inner = Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => [keyword, limitedIn(keyword, value)]),
  )
  for (const [limit, keywords] of behindLimits) {
    const behind = keywords.filter((keyword) => keyword in inner)
    if (inner[limit] === undefined || behind.length === 0) continue
    inner.allOf = [
      ...((inner.allOf as JsonSchema[] | undefined) ?? []),
      {
        if: { not: { [limit]: inner[limit] } },
        else: Object.fromEntries(behind.map((keyword) => [keyword, inner[keyword]])),
      },
    ]
    for (const keyword of behind) delete inner[keyword]
  }
  return inner
}

function limitedIn(keyword: string, value: unknown): unknown {
  switch (keyword) {
    case 'properties':
      return Object.fromEntries(Object.entries(value as object).map(([name, schema]) => [name, limitsFirst(schema)]))
    case 'anyOf':
      return (value as JsonSchema[]).map(limitsFirst)
    case 'items':
    case 'if':
    case 'then':
    case 'else':
      return limitsFirst(value as JsonSchema)
    default:
      return value
  }
}

/** An anyOf and a name are reported once, as a whole; a condition by the faults of its branch. */
function isTold({ keyword, schemaPath }: ErrorObject): boolean {
  return keyword !== 'if' && !/\/(anyOf\/\d+|propertyNames)\//.test(schemaPath)
}

function toSchemaFault(error: ErrorObject): Fault {
  const path = error.instancePath
    .split('/')
    .filter((part) => part !== '')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (error.keyword === 'required') path.push(String(error.params.missingProperty))
  if (error.keyword === 'propertyNames') path.push(String(error.params.propertyName))
  return { field: path.join('.') || 'body', ...toSchemaReason(error) }
}

function toSchemaReason({ keyword, params }: ErrorObject): Reason {
  const { limit } = params
  switch (keyword) {
    case 'required':
      return reason(generalFaults.required)
    case 'type':
      return reason(generalFaults.wrong_type, {
        type: ([params.type].flat() as string[]).map((type) => nouns[type]).join(' or '),
      })
    case 'enum':
      return reason(generalFaults.not_one_of, { choices: (params.allowedValues as unknown[]).map(String).join(', ') })
    case 'exclusiveMinimum':
      return reason(generalFaults.not_above, { limit })
    case 'minimum':
      return reason(generalFaults.too_small, { limit })
    case 'maximum':
      return reason(generalFaults.too_large, { limit })
    case 'minLength':
      return limit === 1 ? reason(generalFaults.empty) : reason(generalFaults.too_short, { limit })
    case 'maxLength':
      return reason(generalFaults.too_long, { limit })
    case 'minItems':
      return limit === 1 ? reason(generalFaults.no_element) : reason(generalFaults.too_few_elements, { limit })
    case 'maxItems':
    case 'maxProperties':
      return reason(generalFaults.too_many_elements, { limit })
    case 'uniqueItems':
      return reason(generalFaults.repeated_element, {
        first: Math.min(params.i, params.j),
        second: Math.max(params.i, params.j),
      })
    case 'format':
      return params.format === 'date-time'
        ? reason(generalFaults.no_date_time)
        : reason(generalFaults.wrong_format, { format: params.format })
    case 'pattern':
      return reason(generalFaults.wrong_form, { pattern: params.pattern })
    case 'propertyNames':
      return reason(generalFaults.no_key)
    case 'anyOf':
      return reason(generalFaults.no_accepted_form)
    default:
      return reason(generalFaults.invalid)
  }
}

const nouns: Record<string, string> = {
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  integer: 'a whole number',
  number: 'a number',
  string: 'a string',
  null: 'null',
}
