// Masks bodies for the request log. Values pass if their schema names them and they are neither personal nor secret; a
// value without a schema could be anything.
import { sensitive, type JsonSchema } from '../../kit/declare/field.ts'
import { maskedText, maskName, maskText } from '../../kit/values/masking.ts'

const ellipsis = '…'
const maxText = 200
const maxElements = 20

/** The parts of a schema that may be shown; 'nothing' masks the whole value. */
type MaskedView = 'nothing' | { names: Record<string, MaskedView>; elements: MaskedView }

/** JSON of the visible parts of an object, up to about `length` characters; null for other values. */
export function mask(value: unknown, schema: JsonSchema, maxCharacters = 4096): string | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  return JSON.stringify(visible(value, getMaskedView(schema), { left: maxCharacters }))
}

// Applies to values with such a name regardless of their schema.
const secretName =
  /secret|password|token|authorization|signature|card|cvc|cvv|iban|(^|_)key$|(recovery|redirect|return)_url/i

type RemainingBytes = { left: number }

function visible(value: unknown, view: MaskedView, room: RemainingBytes): unknown {
  if (value === null) return null
  if (view === 'nothing') return maskedText
  if (room.left <= 0) return ellipsis
  switch (typeof value) {
    case 'string':
      return visibleText(value, room)
    case 'object':
      return Array.isArray(value) ? visibleList(value, view, room) : visibleObject(value as object, view, room)
    default:
      room.left -= 8
      return value
  }
}

function visibleText(text: string, room: RemainingBytes): string {
  const maskedText = maskText(text.length > maxText ? text.slice(0, maxText) + ellipsis : text)
  room.left -= maskedText.length
  return maskedText
}

function visibleList(values: unknown[], { elements }: Exclude<MaskedView, 'nothing'>, room: RemainingBytes): unknown[] {
  const maskedValues = values.slice(0, maxElements).map((value) => visible(value, elements, room))
  return values.length > maxElements ? [...maskedValues, `${ellipsis} ${values.length - maxElements}`] : maskedValues
}

function visibleObject(object: object, { names }: Exclude<MaskedView, 'nothing'>, room: RemainingBytes): object {
  const result: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(object)) {
    if (room.left <= 0) return { ...result, [ellipsis]: ellipsis }
    // A name outside the schema may itself be something a person typed.
    const view = Object.hasOwn(names, name) ? names[name]! : 'nothing'
    const label = Object.hasOwn(names, name) ? name : maskName(name)
    room.left -= label.length + 4
    result[label] = visible(value, view, room)
  }
  return result
}

const views = new WeakMap<JsonSchema, MaskedView>()

/** Computed once for each schema. */
function getMaskedView(schema: JsonSchema): MaskedView {
  const view = views.get(schema) ?? makeView(schema)
  views.set(schema, view)
  return view
}

function makeView(schema: JsonSchema): MaskedView {
  if (schema[sensitive]) return 'nothing'
  const shapes = [schema, ...((schema.anyOf as JsonSchema[] | undefined) ?? [])]
  const names: Record<string, MaskedView> = Object.create(null)
  let elements: MaskedView = 'nothing'
  for (const { properties = {}, items } of shapes as { properties?: object; items?: JsonSchema }[]) {
    for (const [name, inner] of Object.entries(properties))
      names[name] = secretName.test(name) ? 'nothing' : getMaskedView(inner as JsonSchema)
    if (items) elements = getMaskedView(items)
  }
  return { names, elements }
}
