import { publicId } from '../kit/values/ids.ts'

/** The customer as events carry it; `id` is the uuid. */
export function customerPayload({
  id,
  name,
  email,
  phone,
}: {
  id: string
  name: string
  email: string | null
  phone: string | null
}): object {
  return { customer: { id: publicId('cus', id), name, email, phone } }
}
