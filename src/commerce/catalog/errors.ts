import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const catalogFaults = sentences({
  option_repeated:    'duplicates the title of another option',
  value_repeated:     'must not contain duplicate values',
  options_incomplete: 'must contain each option exactly once: {titles}',
  value_unknown:      'contains {value}, which is not a value of {option}',
  combination_taken:  'duplicates the option values of another variant',
  below_itself:       'must not be the category itself or one below it',
  too_many_levels:    'would lead to more than {limit} levels',
  no_measure:         'must be an amount above 0 and a unit, such as 750 ml; units are {units}',
  change_repeated:    'is changed twice in this request',
  changed_meanwhile:  'is out of date: the current value is {now}',
  sum_of_variants:    'is the sum of the stock of its variants: change theirs',
  only_drafts:        'applies only to drafts: set product_status to draft',
  only_published:     'applies only to products that are active or have a publish_at',
  not_future:         'must be in the future',
  ends_before_publishing: 'must be after publish_at',
  no_bundle:          'applies only to a product with bundle_items',
  bundle_with_variants: 'must be empty for a product with variants',
  bundle_in_itself:   'must not be the bundle itself',
  bundle_in_bundle:   'is a bundle itself: list its parts instead',
  part_of_bundle:     'must be empty: the product is part of the bundle {bundle}',
  part_repeated:      'is listed twice: give the quantity once',
  below_zero_product: 'must not be negative unless continue_selling is true',
  below_zero_variant: 'must not be negative unless continue_selling_when_out_of_stock is true',
})
