import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const taxFaults = sentences({
  takes_no_tax:          'requires a rate of 0 because it is {why}',
  name_repeated:         'duplicates the name of another component',
  too_much_tax:          'must add up to at most {limit} percent',
  not_sum_of_components: 'must be omitted or equal the sum of the components: {sum}',
})
