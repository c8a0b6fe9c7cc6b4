// The discount codes of a cart or a checkout: a field that adds one, and each with what it does.
import { html } from 'hono/html'
import type { CheckedDiscount } from '../../../commerce/orders/checkeddiscounts.ts'
import type { Form } from '../../../platform/pages/form.ts'
import { aboutField, attributes, renderFieldFault } from '../../../platform/pages/parts.ts'
import type { CodeEdit } from '../../checkout/cart/codes.ts'
import { fieldError } from '../frame/fielderrors.ts'
import { getMaxLength, rows } from '../frame/formrows.ts'
import { field, type Html, type ShopContext } from '../frame/page.ts'

type CodeField = {
  codes: readonly string[]
  discounts: readonly CheckedDiscount[]
  /** What the chosen rate costs. */
  shipping?: number
  /** What is typed, and what is wrong with it. */
  value: string
  fault: string | undefined
  isFocused?: boolean
}

const name = 'discount_code'

type CodeParts = Pick<CodeField, 'discounts' | 'shipping'>

export function codeField(context: ShopContext, { codes, value, fault, isFocused, ...parts }: CodeField): Html {
  const { t } = context
  const input = attributes({
    id: name,
    name,
    value,
    maxlength: getMaxLength(name),
    autocomplete: 'off',
    autocapitalize: 'characters',
    spellcheck: 'false',
    enterkeyhint: 'done',
  })
  return html`<div class="code"><p class="field"><label for="${name}">${t(rows.discount_code.label)}</label>
<input${input}${aboutField(name, { fault, focus: isFocused })}></p>
<button class="quiet" name="act" value="apply">${t('apply')}</button></div>${renderFieldFault(name, fault)}
${codes.map((code) => renderCode(context, code, parts))}`
}

function renderCode(context: ShopContext, code: string, parts: CodeParts): Html {
  const { t } = context
  const does = describeCode(context, code, parts)
  const remove = html`${t('remove')}<span class="hidden"> ${code}</span>`
  return html`<p class="row"><span><b>${code}</b> <small>${does}</small></span>
<button class="link" name="remove_code" value="${code}">${remove}</button></p>`
}

function describeCode(context: ShopContext, code: string, { discounts, shipping = 0 }: CodeParts): string {
  const { t, price } = context
  const discount = discounts.find((one) => one.code === code)
  if (!discount) return ''
  if (discount.free_shipping && !discount.applied && shipping > 0) return t('code_elsewhere')
  if (discount.explanation) return fieldError(context, { field: name, ...discount.explanation })
  const gives = [
    ...(discount.amount > 0 ? [`−${price(discount.amount)}`] : []),
    ...(discount.free_shipping ? [t('code_ships_free')] : []),
  ]
  return gives.join(' · ')
}

/** The code that is typed, and the one whose button was pressed. */
export function readCodeEdit(form: Form): CodeEdit {
  const add = field(form, 'discount_code').trim() || undefined
  return { add, remove: field(form, 'remove_code') || undefined }
}
