// The result of an examination.
import { list, object } from '../../kit/declare/composites.ts'
import { field } from '../../kit/declare/field.ts'
import { resource } from '../../kit/declare/resource.ts'
import { choice, flag, integer, text } from '../../kit/declare/scalars.ts'
import { verdicts } from './examine.ts'
import { findingCodes } from './findings.ts'
import { names } from './probes.ts'

// prettier-ignore
const finding = object({
  code:   choice(findingCodes).required(),
  says:   text().required().example('returns 200 for a forged signature, so it does not check signatures')
    .describe('What is wrong with the receiver'),
  advice: text({ max: 500 }).required().describe('How to fix the problem'),
  values: field<Record<string, string | number>>({
    schema: { type: 'object', additionalProperties: { type: ['string', 'number'] } } }).required()
    .describe('Values in says, such as status, for texts of your own by code'),
})

// prettier-ignore
const probe = object({
  probe:       choice(names).required().describe('Name of the test request'),
  expected:    choice(['accepted', 'refused']).required(),
  status:      integer({ min: 100, max: 999 }).nullable().required().example(401),
  error:       text().nullable().required().example('TIMEOUT').describe('Why there was no response'),
  duration_ms: integer({ min: 0 }).required(),
  passed:      flag().required().describe('Whether the result was as expected'),
})

// prettier-ignore
export const examination = resource('webhooks', {
  verdict:  choice(verdicts)
    .describe('Result of the test; incomplete: no errors were found, but the receiver was too slow'),
  findings: list(finding, { max: findingCodes.length })
    .describe('Errors found in the receiver, and how to fix them'),
  probes:   list(probe, { max: names.length })
    .describe('Test requests sent; they stop if the receiver rejects a valid delivery'),
}, {}, { noun: 'Examination' }).entity
