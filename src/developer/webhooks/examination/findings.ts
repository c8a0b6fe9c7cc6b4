// Faults of a receiver: what each means and how to fix it.
import type { MisreadBody } from './misreadings.ts'

type FindingTexts = { says: string; advice: string }

export type FindingCode = keyof typeof words

/** `{status}` and the like are filled in. */
// prettier-ignore
const words = {
  unreachable: {
    says: 'cannot be called: {reason}',
    advice: 'Make it reachable by https at this address, with a certificate of a known authority.' },
  silent: {
    says: 'does not answer within {limit} seconds, so that every delivery fails',
    advice: 'Answer at once, when the signature is checked and the event is stored; do the work afterwards.' },
  slow: {
    says: 'takes {duration} seconds to answer; after {limit} a delivery has failed',
    advice: 'Answer at once, when the signature is checked and the event is stored; do the work afterwards.' },
  redirects: {
    says: 'answers {status}: redirects are not followed',
    advice: 'Register the address that it leads to.' },
  absent: {
    says: 'answers {status}: there is no receiver at this address',
    advice: 'Look at the path and at the methods that it takes: deliveries are POSTs.' },
  fails: {
    says: 'answers {status} to what is signed rightly',
    advice: 'Look into its own log: it ends with a fault of its own.' },
  refuses_valid: {
    says: 'answers {status} to what is signed rightly',
    advice: 'It probably has another secret: of another webhook, or from before a rotation. Otherwise, check which '
      + 'header, which bytes of the body and which clock it reads.' },
  clock_off: {
    says: 'answers {status} to what is signed rightly, and its clock is {off} seconds off',
    advice: 'Set the clock of its machine: timestamps more than 300 seconds off are refused.' },
  without_timestamp: {
    says: 'computes the signature of the body alone',
    advice: 'Sign timestamp + "." + body, with the timestamp of X-Webhook-Timestamp.' },
  without_dot: {
    says: 'computes the signature of timestamp and body without the dot between them',
    advice: 'Sign timestamp + "." + body.' },
  with_id: {
    says: 'computes the signature of id, timestamp and body, as Standard Webhooks does, but reads X-Webhook-Signature',
    advice: 'Sign timestamp + "." + body, or read the headers webhook-id, webhook-timestamp and webhook-signature.' },
  with_prefix: {
    says: 'expects a signature that begins with sha256=',
    advice: 'X-Webhook-Signature is the 64 hex digits alone.' },
  in_base64: {
    says: 'expects the signature in base64',
    advice: 'X-Webhook-Signature is in hex.' },
  timestamp_in_ms: {
    says: 'compares the timestamp with a clock in milliseconds, so every delivery looks too old',
    advice: 'X-Webhook-Timestamp is in seconds: compare it with the time in seconds, e.g. Date.now() / 1000.' },
  secret_misread: {
    says: 'has the right secret, but not its exact characters: with a line end or quotes around it, or decoded',
    advice: 'The key is the secret as it is shown: trim it, and do not decode it.' },
  reserialised: {
    says: 'computes the signature of the body as it is written again after it was parsed',
    advice: 'Take the raw bytes before they are parsed: the same JSON has many spellings.' },
  unchecked: {
    says: 'answers {status} to a forged signature: the signature is not checked',
    advice: 'Compute hex(HMAC-SHA256(secret, timestamp + "." + body)) and refuse what differs: see the guide.' },
  only_there: {
    says: 'answers {status} to a forged signature: it only looks whether there is one',
    advice: 'Compute hex(HMAC-SHA256(secret, timestamp + "." + body)) and refuse what differs: see the guide.' },
  optional: {
    says: 'answers {status} to what is not signed at all: without the header nothing is checked',
    advice: 'Refuse what has no X-Webhook-Signature.' },
  partial: {
    says: 'answers {status} to a part of the signature: it compares the beginning only',
    advice: 'Compare all 64 digits, in constant time, and refuse another length.' },
  body_uncovered: {
    says: 'answers {status} to a body with one byte changed: the signature does not cover it',
    advice: 'Sign timestamp + "." + body, over every byte of the body.' },
  old_taken: {
    says: 'answers {status} to a delivery of 15 minutes ago: anyone who has recorded one can send it again',
    advice: 'Refuse timestamps that are more than 300 seconds off.' },
  ahead_taken: {
    says: 'answers {status} to a timestamp 15 minutes ahead: what is recorded now can be sent again later',
    advice: 'Refuse timestamps that are more than 300 seconds off, in both directions.' },
  crashes: {
    says: 'answers {status} to what is not signed rightly: it is a fault of its own that refuses it, not a check',
    advice: 'Answer 401, and let nothing that a stranger sends end in a fault.' },
  refuses_duplicate: {
    says: 'answers {status} when a delivery comes twice, as it may',
    advice: 'Answer 200 and do nothing when X-Webhook-Id is known.' },
  refuses_order: {
    says: 'answers {status} when events overtake each other, as they may',
    advice: 'Take whatever comes; compare occurred_at, and fetch the record when something is missing.' },
  refuses_new_event: {
    says: 'answers {status} to an event that it does not know: it will break with the next release',
    advice: 'Answer 200 to events that you do nothing with.' },
  refuses_new_field: {
    says: 'answers {status} to a field that it does not know: it will break with the next release',
    advice: 'Ignore fields that you do not know.' },
  refuses_large: {
    says: 'answers {status} to an event of 130 KB: an order of 500 lines is as large',
    advice: 'Raise the limit of its framework for bodies to 1 MB.' },
} as const satisfies Record<string, FindingTexts> & Record<MisreadBody, FindingTexts>

export const findingCodes = Object.keys(words) as FindingCode[]

export type Finding = { code: FindingCode; says: string; advice: string }

export function finding(code: FindingCode, values: Record<string, string | number>): Finding {
  const { says, advice } = words[code]
  return { code, advice, says: says.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? '')) }
}
