// Faults of a receiver: what each means and how to fix it.
import type { MisreadBody } from './misreadings.ts'

type FindingTexts = { says: string; advice: string }

export type FindingCode = keyof typeof words

/** `{status}` and the like are filled in. */
// prettier-ignore
const words = {
  unreachable: {
    says: 'cannot be called: {reason}',
    advice: 'Make it reachable over HTTPS at this URL, with a certificate from a trusted authority.' },
  silent: {
    says: 'does not respond within {limit} seconds, so every delivery fails',
    advice: 'Respond as soon as you have checked the signature and stored the event; do the work afterward.' },
  slow: {
    says: 'takes {duration} seconds to respond; after {limit} seconds, a delivery fails',
    advice: 'Respond as soon as you have checked the signature and stored the event; do the work afterward.' },
  redirects: {
    says: 'returns {status}, but redirects are not followed',
    advice: 'Register the URL that it redirects to.' },
  absent: {
    says: 'returns {status}, so there is no receiver at this URL',
    advice: 'Check the path, and that it accepts POST requests.' },
  fails: {
    says: 'returns {status} for a correctly signed delivery',
    advice: 'Check its log for the error.' },
  refuses_valid: {
    says: 'returns {status} for a correctly signed delivery',
    advice: "It probably uses a different secret: another webhook's, or the one from before a rotation. Otherwise, "
      + 'check which header, body bytes and clock it reads.' },
  clock_off: {
    says: 'returns {status} for a correctly signed delivery, and its clock is off by {off} seconds',
    advice: 'Synchronize its clock: timestamps more than 300 seconds off are rejected.' },
  without_timestamp: {
    says: 'computes the signature over the body alone',
    advice: 'Sign timestamp + "." + body, with the timestamp of X-Webhook-Timestamp.' },
  without_dot: {
    says: 'computes the signature over the timestamp and body without the dot between them',
    advice: 'Sign timestamp + "." + body.' },
  with_id: {
    says: 'computes the signature of Standard Webhooks (ID, timestamp and body), but reads X-Webhook-Signature',
    advice: 'Sign timestamp + "." + body, or read the headers webhook-id, webhook-timestamp and webhook-signature.' },
  with_prefix: {
    says: 'expects a signature that starts with sha256=',
    advice: 'X-Webhook-Signature contains only the 64 hex digits.' },
  in_base64: {
    says: 'expects the signature in base64',
    advice: 'X-Webhook-Signature is in hex.' },
  timestamp_in_ms: {
    says: 'compares the timestamp in seconds with a clock in milliseconds, so every delivery looks too old',
    advice: 'X-Webhook-Timestamp is in seconds: compare it with the time in seconds, for example Date.now() / 1000.' },
  secret_misread: {
    says: 'has the right secret, but with a line break or quotes around it, or decoded',
    advice: 'Use the secret exactly as shown: trim it, and do not decode it.' },
  reserialised: {
    says: 'computes the signature over re-serialized JSON',
    advice: 'Use the raw bytes of the body, before parsing: the same JSON can be written in many ways.' },
  unchecked: {
    says: 'returns {status} for a forged signature, so it does not check signatures',
    advice: 'Compute hex(HMAC-SHA256(secret, timestamp + "." + body)) and reject any other signature. See the guide.' },
  only_there: {
    says: 'returns {status} for a forged signature: it only checks that there is one',
    advice: 'Compute hex(HMAC-SHA256(secret, timestamp + "." + body)) and reject any other signature. See the guide.' },
  optional: {
    says: 'returns {status} for an unsigned delivery: without the header, it checks nothing',
    advice: 'Reject requests without X-Webhook-Signature.' },
  partial: {
    says: 'returns {status} for part of the signature: it compares only the beginning',
    advice: 'Compare all 64 digits in constant time, and reject any other length.' },
  body_uncovered: {
    says: 'returns {status} for a body with one byte changed: it does not check the signature over the body',
    advice: 'Sign timestamp + "." + body, with every byte of the body.' },
  old_taken: {
    says: 'returns {status} for a delivery from 15 minutes ago: a recorded request could be replayed',
    advice: 'Reject timestamps that are more than 300 seconds off.' },
  ahead_taken: {
    says: 'returns {status} for a timestamp 15 minutes ahead: a request recorded now could be replayed later',
    advice: 'Reject timestamps that are more than 300 seconds off in either direction.' },
  crashes: {
    says: 'returns {status} for an invalid signature: it fails with an error instead of rejecting the request',
    advice: 'Return 401, and handle any input from strangers without an error.' },
  refuses_duplicate: {
    says: 'returns {status} when a delivery arrives twice, which can happen',
    advice: 'Return 200 and do nothing if you have already processed the X-Webhook-Id.' },
  refuses_order: {
    says: 'returns {status} when events arrive out of order, which can happen',
    advice: 'Accept events in any order: compare occurred_at, and fetch the record if something is missing.' },
  refuses_new_event: {
    says: 'returns {status} for an unknown event, so it will break when new events are added',
    advice: 'Return 200 for events that you do not use.' },
  refuses_new_field: {
    says: 'returns {status} for an unknown field, so it will break when new fields are added',
    advice: 'Ignore unknown fields.' },
  refuses_large: {
    says: 'returns {status} for an event of 130 KB, the size of an order with 500 items',
    advice: 'Raise the body size limit of its framework to 1 MB.' },
} as const satisfies Record<string, FindingTexts> & Record<MisreadBody, FindingTexts>

export const findingCodes = Object.keys(words) as FindingCode[]

export type FindingValues = Record<string, string | number>
export type Finding = { code: FindingCode; says: string; advice: string; values: FindingValues }

export function buildFinding(code: FindingCode, values: FindingValues): Finding {
  const { says, advice } = words[code]
  return { code, advice, values, says: says.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? '')) }
}
