// Errors of the API, in the reader's language.
import type { ApiError } from '../../kit/values/errors.ts'
import type { Fault, generalFaults } from '../../kit/values/faults.ts'
import type { addressFaults } from '../../platform/outbound/errors.ts'
import type { emailFaults } from '../../tenancy/emails/errors.ts'
import { customFieldKeyForm } from '../../tenancy/stores/customfield.ts'
import type { storeFaults } from '../../tenancy/stores/errors.ts'
import type { accountFaults } from '../../identity/accounts/errors.ts'
import type { clientFaults } from '../../identity/oauth/errors.ts'
import type { catalogFaults } from '../../commerce/catalog/errors.ts'
import type { customerFaults } from '../../commerce/customers/errors.ts'
import type { groupFaults } from '../../commerce/customers/groups/errors.ts'
import type { discountFaults } from '../../commerce/discounts/errors.ts'
import type { fulfillmentFaults } from '../../commerce/fulfillments/errors.ts'
import type { inventoryFaults } from '../../commerce/inventory/errors.ts'
import type { mediaFaults } from '../../commerce/media/errors.ts'
import type { checkoutFaults } from '../../storefront/checkout/errors.ts'
import type { draftOrderFaults } from '../../commerce/draftorders/errors.ts'
import type { orderFaults } from '../../commerce/orders/errors.ts'
import type { returnFaults } from '../../commerce/returns/errors.ts'
import type { taxFaults } from '../../commerce/tax/errors.ts'
import type { paymentFaults } from '../../commerce/payments/errors.ts'
import type { brandingFaults } from '../../storefront/branding/errors.ts'
import type { redirectFaults } from '../../storefront/redirects/errors.ts'
import type { letterFaults } from '../../storefront/letters/errors.ts'
import type { ScreenAction, PageContext } from './screen.ts'
import { extensions } from '../../tenancy/extensions/loaded.ts'
import { messageOr, type MessageKey } from './messages.ts'

type Sentences = typeof generalFaults &
  typeof addressFaults &
  typeof emailFaults &
  typeof storeFaults &
  typeof accountFaults &
  typeof clientFaults &
  typeof catalogFaults &
  typeof customerFaults &
  typeof groupFaults &
  typeof discountFaults &
  typeof fulfillmentFaults &
  typeof inventoryFaults &
  typeof mediaFaults &
  typeof orderFaults &
  typeof draftOrderFaults &
  typeof returnFaults &
  typeof taxFaults &
  typeof paymentFaults &
  typeof brandingFaults &
  typeof redirectFaults &
  typeof letterFaults &
  Pick<typeof checkoutFaults, 'nothing_due' | 'email_missing'>

// Other codes ask to check the field.
// prettier-ignore
const messageByCode: Partial<Record<string, MessageKey>> = {
  required: 'fault_required', empty: 'fault_required', blank: 'fault_required',
  wrong_type: 'fault_number', not_one_of: 'fault_choice', no_element: 'fault_choose',
  not_above: 'fault_above', not_above_in_currency: 'fault_above', too_small: 'fault_least', too_large: 'fault_most',
  too_short: 'fault_short', too_long: 'fault_long', wrong_form: 'fault_form', no_key: 'fault_key',
  no_date_time: 'fault_date', no_moment: 'fault_date', year_out_of_range: 'fault_date',
  not_https: 'fault_address', no_url: 'fault_address',
  does_not_exist: 'fault_unknown', no_country: 'fault_unknown', unknown_country: 'fault_unknown',
  no_province: 'fault_unknown',
  no_currency: 'fault_unknown',
  no_timezone: 'fault_unknown',
  not_public: 'fault_private',
  status_not_next: 'fault_next', status_is_final: 'fault_final', pieces_came_back: 'fault_final',
  more_than_left: 'fault_more_than_left', only_left: 'fault_more_than_left',
  left_with_others: 'fault_more_than_left', nothing_left: 'fault_nothing_left',
  nothing_paid: 'fault_nothing_left', nothing_sent_when: 'fault_nothing_left', more_than_payment: 'fault_most_amount',
  costs_nothing: 'fault_free', refund_under_way: 'fault_under_way', capture_under_way: 'fault_under_way',
  hold_asked_for: 'fault_under_way', no_longer: 'fault_no_longer', stock_below_zero: 'fault_below_zero',
  choices_required: 'fault_choices_required', no_choices: 'fault_no_choices', staff_only: 'fault_staff_only',
  no_filter: 'fault_no_filter', orders_only: 'fault_orders_only', not_asked: 'fault_not_asked',
  no_date: 'fault_no_date', no_color: 'fault_no_color',
  name_repeated: 'fault_name_repeated', too_much_tax: 'fault_too_much_tax',
  not_sum_of_components: 'fault_not_sum_of_components',
  no_bundle: 'fault_no_bundle', bundle_with_variants: 'fault_bundle_with_variants',
  bundle_in_itself: 'fault_bundle_in_itself', bundle_in_bundle: 'fault_bundle_in_bundle',
  part_of_bundle: 'fault_part_of_bundle', part_repeated: 'fault_part_repeated',
  bundle_changed: 'fault_bundle_changed',
  percentage_range: 'fault_percentage', amount_range: 'fault_above_zero', no_digits: 'fault_digits',
  ends_before_start: 'fault_order_dates', too_many_automatic: 'fault_too_many_automatic',
  below_least: 'fault_below_least', too_many_groups: 'fault_too_many_groups',
  one_too_many: 'fault_one_too_many', one_too_many_a_day: 'fault_too_often', too_many_emails: 'fault_too_often',
  name_required: 'fault_name_required', countries_required: 'fault_required',
  price_required: 'fault_price_required', variant_required: 'fault_variant_required',
  variant_foreign: 'fault_variant_foreign', takes_no_tax: 'fault_takes_no_tax', too_precise: 'fault_decimals',
  domain_unproven: 'fault_domain_unproven', domain_unreachable: 'fault_domain_unreachable',
  too_faint: 'fault_too_faint', no_link: 'fault_link', placeholder_unknown: 'fault_placeholder',
  no_redirect_path: 'fault_redirect_path', no_redirect_target: 'fault_redirect_target',
  leads_back: 'fault_redirect_loop',
  repeated_element: 'fault_repeated', named_twice: 'fault_repeated', value_repeated: 'fault_repeated',
  code_wrong: 'fault_code', passkey_wrong: 'fault_passkey', no_redirect_address: 'fault_redirect',
  no_absolute_address: 'fault_redirect', has_fragments: 'fault_redirect', no_host_named: 'fault_redirect',
  password_length: 'fault_password_length', password_common: 'fault_password_common',
  password_repeated: 'fault_password_repeated', password_personal: 'fault_password_personal',
  no_web_address: 'fault_address', combination_taken: 'fault_combination', option_repeated: 'fault_option_repeated',
  below_zero_product: 'fault_negative', below_zero_variant: 'fault_negative',
  below_itself: 'fault_below_itself', too_many_levels: 'fault_too_many_levels',
  sum_of_variants: 'fault_sum_of_variants', only_drafts: 'fault_only_drafts',
  only_published: 'fault_only_published', not_future: 'fault_future', ends_before_publishing: 'fault_order_dates',
  changed_meanwhile: 'fault_changed_meanwhile', too_many_elements: 'fault_one_too_many',
  file_too_large: 'fault_file_large', no_room: 'fault_no_room', no_picture: 'fault_no_picture',
  too_many_pixels: 'fault_image_pixels', wrong_sides: 'fault_image_sides',
  cannot_be_fetched: 'fault_not_fetched', file_required: 'fault_required',
  zero: 'fault_required', test_payments_off: 'fault_test_payments',
  units_gone: 'fault_units_gone', no_item_left: 'fault_no_item_left', not_editable: 'fault_not_editable',
  listed_twice: 'fault_repeated', too_many_items: 'fault_one_too_many', shipping_refunded: 'fault_shipping_refunded',
  nothing_due: 'fault_nothing_due', email_missing: 'fault_email_missing', sold_out: 'fault_more_than_left',
  draft_completed: 'fault_draft_completed', one_discount: 'fault_one_discount', link_ended: 'fault_link_ended',
  discount_incomplete: 'fault_required', type_required: 'fault_required', percentage_above: 'fault_percentage',
  amount_zero: 'fault_above_zero', email_required: 'fault_email_missing',
  address_required: 'fault_address_required',
  only_returnable: 'fault_return_left', not_shipped: 'fault_not_shipped', order_undone: 'fault_order_undone',
  refunded_already: 'fault_refunded_already', already: 'fault_return_moved', not_refundable: 'fault_return_moved',
  not_exchangeable: 'fault_return_moved',
  code_unknown: 'try_not_found', code_expired: 'try_expired', code_inactive: 'try_inactive',
  code_early: 'try_not_started', code_used_up: 'try_used_up', code_minimum: 'try_minimum_not_met',
  code_not_applicable: 'try_not_applicable', code_quantity: 'try_quantity_not_met',
  code_not_in_group: 'try_not_in_group', code_already_used: 'try_already_used', code_automatic: 'try_automatic',
  code_not_combined: 'try_not_combined',
} satisfies Partial<Record<keyof Sentences, MessageKey>>

const addedMessages: typeof messageByCode = Object.assign({}, ...extensions.map(({ faultMessages }) => faultMessages))

/** Messages by the reason of a conflict. */
const messageByReason: Partial<Record<string, MessageKey>> = { currency_in_use: 'fault_currency_in_use' }

/** Field name → message. The first message of a field wins. */
export function fieldErrors(
  context: Pick<PageContext, 't'>,
  faults: readonly Fault[],
  action: Partial<ScreenAction> = {},
): Record<string, string> {
  const errors: Record<string, string> = {}
  for (const fault of faults) errors[fault.field] ??= fieldError(context, fault, action)
  return errors
}

export function fieldError(
  { t }: Pick<PageContext, 't'>,
  { code, ...fault }: Pick<Fault, 'code' | 'values'>,
  { nameValues }: Partial<ScreenAction> = {},
): string {
  const values = nameValues?.(t, fault.values) ?? fault.values
  const from = messageOr(t, `status_${values.from}`, String(values.from ?? ''))
  const word = findMessage(code, values)
  const megabytes = code === 'file_too_large' ? toMegabytes(Number(values.limit)) : ''
  return t(word ?? 'fault_wrong', { ...values, from, megabytes })
}

function findMessage(code: string, { format, type, pattern }: Fault['values']): MessageKey | undefined {
  if (code === 'wrong_format') return format === 'email' ? 'fault_email' : 'fault_wrong'
  if (code === 'wrong_type' && String(type).startsWith('true or false')) return 'fault_yes_or_no'
  if (code === 'wrong_form' && pattern === customFieldKeyForm) return 'fault_field_key'
  return messageByCode[code] ?? addedMessages[code]
}

/** Limits are whole megabytes, of either kind. */
function toMegabytes(bytes: number): number {
  return bytes % 1_000_000 === 0 ? bytes / 1_000_000 : Math.floor(bytes / 1024 ** 2)
}

export function errorMessage(
  context: Pick<PageContext, 't'>,
  error: ApiError,
  action: Partial<ScreenAction> = {},
): string {
  const { t } = context
  const { code, faults, values, details } = error
  switch (code) {
    case 'VALIDATION_ERROR':
      return faults.length === 1 && faults[0] ? fieldError(context, faults[0], action) : t('refused_faults')
    case 'PRECONDITION_FAILED':
      return t('refused_conflict')
    case 'SCOPE_INSUFFICIENT':
      return t('refused_role')
    case 'PLAN_LIMIT_EXCEEDED':
      return t('refused_plan', values)
    case 'FEATURE_ACCESS_DENIED':
      return t((details as { feature?: string }).feature === 'store_active' ? 'refused_suspended' : 'refused_feature')
    case 'CONFLICT':
      return t(messageByReason[String(values.reason)] ?? action.conflict ?? 'refused_exists')
    case 'RATE_LIMITED':
      return t('refused_too_many')
    case 'OUTDATED':
      return t('proposal_outdated')
    case 'NOT_REVERTIBLE':
      return t('refused_undo')
    default:
      return t('fault_wrong')
  }
}
