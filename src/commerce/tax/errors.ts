import { sentences } from '../../kit/values/faults.ts'

// Each completes "<field> …".
// prettier-ignore
export const taxFaults = sentences({
  takes_no_tax:          'takes no tax ({why}): the rate must be 0',
  name_repeated:         'must not be the name of another one',
  too_much_tax:          'must come to at most {limit} percent together',
  not_sum_of_components: 'must be left out, or what the components come to together: {sum}',
})
