// An examination as it is answered.
import { list, object } from '../../../kit/declare/composites.ts'
import { resource } from '../../../kit/declare/resource.ts'
import { choice, flag, integer, text } from '../../../kit/declare/scalars.ts'
import { verdicts } from './examine.ts'
import { findingCodes } from './findings.ts'
import { names } from './probes.ts'

// prettier-ignore
const finding = object({
  code:   choice(findingCodes).required(),
  says:   text().required().example('answers 200 to a forged signature: the signature is not checked'),
  advice: text({ max: 500 }).required(),
})

// prettier-ignore
const probe = object({
  probe:       choice(names).required(),
  expected:    choice(['accepted', 'refused']).required(),
  status:      integer({ min: 100, max: 999 }).nullable().required().example(401),
  error:       text().nullable().required().example('TIMEOUT').describe('Why there was no answer'),
  duration_ms: integer({ min: 0 }).required(),
  passed:      flag().required(),
})

// prettier-ignore
export const examination = resource('webhooks', {
  verdict:  choice(verdicts)
    .describe('incomplete: nothing was wrong, but the receiver took too long for all of it'),
  findings: list(finding, { max: findingCodes.length })
    .describe('What the code of the receiver gets wrong, and what to do'),
  probes:   list(probe, { max: names.length })
    .describe('What was sent; after a refusal of what is right, nothing else is'),
}, {}, { noun: 'Examination' }).entity
