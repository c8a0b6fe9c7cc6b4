// Shipping rates and payment methods begin with a type. Their code follows from it, or from the name.
import type { AnyResource } from '../../../kit/declare/resource.ts'
import { invalid } from '../../../kit/values/errors.ts'
import { fault, generalFaults } from '../../../kit/values/faults.ts'
import { newUuid } from '../../../kit/values/ids.ts'
import { buildSlug } from '../../../kit/values/slug.ts'
import { messageOr } from '../../framework/messages.ts'
import { listInOrder } from '../../framework/sortlist.ts'
import type { Choices, FormInput, PageContext } from '../../framework/screen.ts'

/** Its own name, or the default name of its code. */
export function nameOfMethod({ name, code }: { name: string | null; code: string }, { t }: PageContext): string {
  return name ?? messageOr(t, `method_${code}`, code)
}

/** A type of one's own, which needs a name. */
const custom = 'custom'

export function typeInput(types: readonly string[]): FormInput {
  const options = ({ t }: PageContext): Choices =>
    [...types, custom].map((type) => [type, messageOr(t, `method_${type}`, type)])
  return { name: 'code', label: 'method_type', as: 'cards', options }
}

type MethodInput = { code?: string; name?: string | null }

/** The type is the code as long as no other record has it. */
export async function chooseCode(
  context: PageContext,
  resource: AnyResource,
  { code: type = custom, name }: MethodInput,
): Promise<MethodInput> {
  const data = await listInOrder(context, resource)
  const taken = new Set(data.map(({ code }) => code))
  if (type !== custom && !taken.has(type)) return { code: type }
  if (type === custom && !name) throw invalid(fault('name', generalFaults.required))
  const text = name ?? nameOfMethod({ name: null, code: type }, context)
  const slug = buildSlug(text, newUuid(), 40)
  const codes = [slug, ...Array.from({ length: data.length + 1 }, (_, index) => `${slug}-${index + 2}`)]
  return { code: codes.find((code) => !taken.has(code))!, name: text }
}
