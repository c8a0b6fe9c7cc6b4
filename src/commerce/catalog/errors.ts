import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const catalogFaults = sentences({
  option_repeated:    'is the title of another option',
  value_repeated:     'must not repeat a value',
  options_incomplete: 'must name each option once: {titles}',
  value_unknown:      'has {value}, which is no value of {option}',
  combination_taken:  'is the combination of another variant',
  below_zero_product: 'must not be below zero unless the product continues selling',
  below_zero_variant: 'must not be below zero unless the variant continues selling when out of stock',
})
