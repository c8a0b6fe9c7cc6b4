// What every payment provider keeps to, as tests over an adapter and a fake of its service. A new provider passes them
// before anybody pays with it: docs/guides/payment-providers.md.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newUuid } from '../src/kit/values/ids.ts'
import type {
  CallContext,
  WebhookEvent,
  MalformedWebhook,
  ProviderResult,
  PaymentProvider,
  ProviderRefusal,
  DisputeState,
} from '../src/commerce/payments/provider.ts'

/** The service behind an adapter, and what happens at it. */
export type Fake = {
  apiUrl: string
  settings: Record<string, string>
  /** What the shopper does there. Late: the money is on its way until it has come in. */
  approve(reference: string): Promise<void>
  decline(reference: string): Promise<void>
  payLate(reference: string): Promise<{ comeIn(): Promise<void> }>
  expire(reference: string): Promise<void>
  /** What becomes of the answers of all calls that follow, whose effect is the same. */
  breakAnswers(how: '500' | 'hang' | 'rubbish' | null): void
  /** Which refunds there are, in minor units, read from the service's own books. */
  refundsOf(reference: string): number[]
  /** A webhook that tells of the payment, `secondsAgo`, signed with this or another secret, perhaps lying. */
  hook(
    reference: string,
    options?: { secondsAgo?: number; secret?: string; lies?: boolean },
  ): { raw: Buffer; headers: Record<string, string> }
  /** The same over any bytes. */
  sign(raw: Buffer): { raw: Buffer; headers: Record<string, string> }
  /** The last refund fails after it was done. Absent: refunds of this provider never do. */
  failRefund?(reference: string, reason: string): void
  /** The shopper's bank wants the payment back; the answer says how that goes on. Absent: it has no disputes. */
  dispute?(
    reference: string,
    dispute: { minor: number; reason: string; due: Date },
  ): (to: 'review' | 'win' | 'lose') => void
  /** Each currency with an amount that fits, one that does not where there is any, and what it is in minor units. */
  currencies: { currency: string; amount: number; minor: number; unfit?: number }[]
  /** The amount that the service was asked for, in its own units. */
  askedOf(reference: string): number
}

const patienceMs = 150

export function conforms(name: string, provider: PaymentProvider, fake: Fake): void {
  const { fetchState, createPayment, capture, refund, cancel } = provider
  const at = (more: Partial<CallContext> = {}): CallContext => ({
    settings: fake.settings,
    currency: 'EUR',
    returnUrl: 'https://shop.example/return',
    cancelUrl: 'https://shop.example/checkout',
    apiUrl: fake.apiUrl,
    now: new Date(),
    signal: AbortSignal.timeout(5_000),
    fetch,
    ...more,
  })
  const holding = () => at({ settings: { ...fake.settings, capture: 'manual' } })
  const terms = () => ({ id: `pay_${newUuid()}`, amount: 25.9, currency: 'EUR', description: 'Two things' })
  const begun = async (session = terms(), how = at()) => {
    const answer = await createPayment(session, how)
    assert.ok('reference' in answer, JSON.stringify(answer))
    return answer
  }
  const paid = async () => {
    const { reference } = await begun()
    await fake.approve(reference)
    return reference
  }
  const held = async () => {
    const { reference } = await begun(terms(), holding())
    await fake.approve(reference)
    return reference
  }
  const sums = async (reference: string) => {
    const { status, captured, refunded, currency } = await fetchState(reference, at())
    return { status, captured, refunded, currency }
  }
  const euros = (status: string, captured: number, refunded: number) => ({
    status,
    captured,
    refunded,
    currency: 'EUR',
  })

  test(`${name} begins a payment once, however often it is asked, and sends the shopper where it says`, async () => {
    const session = terms()
    const [first, again] = [await begun(session), await begun(session)]
    assert.deepEqual(first, again)
    assert.ok(provider.origins(at()).includes(new URL(first.next!.redirect).origin))
    assert.notEqual((await begun()).reference, first.reference)
  })

  test(`${name} tells the truth of a payment that is open, paid, declined, late and too old`, async () => {
    const [open, declined, late, old] = [await begun(), await begun(), await begun(), await begun()]
    assert.deepEqual(await sums(open.reference), euros('pending', 0, 0))
    assert.deepEqual(await sums(await paid()), euros('captured', 25.9, 0))
    await fake.decline(declined.reference)
    assert.equal((await fetchState(declined.reference, at())).captured, 0)
    assert.ok(['failed', 'pending'].includes((await fetchState(declined.reference, at())).status))
    const money = await fake.payLate(late.reference)
    assert.deepEqual(await sums(late.reference), euros('processing', 0, 0))
    await money.comeIn()
    assert.deepEqual(await sums(late.reference), euros('captured', 25.9, 0))
    await fake.expire(old.reference)
    assert.deepEqual(await sums(old.reference), euros('expired', 0, 0))
  })

  test(`${name} holds money until it is captured, once for a key, and never captures more`, async () => {
    const reference = await held()
    const before = await fetchState(reference, at())
    assert.deepEqual([before.status, before.authorized, before.captured], ['authorized', 25.9, 0])
    assert.ok('refused' in (await capture(reference, 25.91, newUuid(), at())))
    const key = newUuid()
    assertMoved(await capture(reference, 20, key, at()))
    assertMoved(await capture(reference, 20, key, at()))
    assert.ok('refused' in (await capture(reference, 6, newUuid(), at())))
    assert.equal((await fetchState(reference, at())).captured, 20)
    assert.equal((await fetchState(reference, at())).status, 'captured')
  })

  test(`${name} refunds parts, each once for its key, and never more than was captured`, async () => {
    const reference = await paid()
    const key = newUuid()
    const [first, again] = [await refund(reference, 5.9, key, at()), await refund(reference, 5.9, key, at())]
    assert.deepEqual(assertMoved(first), assertMoved(again))
    assert.ok('refused' in (await refund(reference, 20.01, newUuid(), at())))
    assertMoved(await refund(reference, 20, newUuid(), at()))
    assert.ok('refused' in (await refund(reference, 0.01, newUuid(), at())))
    assert.deepEqual(fake.refundsOf(reference), [590, 2000])
    assert.deepEqual(await sums(reference), euros('captured', 25.9, 25.9))
  })

  test(`${name} refunds a key once, when it is asked many times at the same moment`, async () => {
    const reference = await paid()
    const key = newUuid()
    await Promise.allSettled(Array.from({ length: 5 }, () => refund(reference, 5.9, key, at())))
    assert.deepEqual(fake.refundsOf(reference), [590])
  })

  test(`${name} lets what is not captured go, and nobody can pay it afterwards`, async () => {
    const [{ reference: open }, kept, taken] = [await begun(), await held(), await paid()]
    const key = newUuid()
    for (const reference of [open, kept]) {
      assertMoved(await cancel(reference, key + reference, at()))
      assertMoved(await cancel(reference, key + reference, at()))
      const { status, captured, authorized } = await fetchState(reference, at())
      assert.ok(['cancelled', 'expired'].includes(status), status)
      assert.deepEqual([captured, authorized], [0, 0])
    }
    assert.ok('refused' in (await cancel(taken, newUuid(), at())))
    assert.deepEqual(await sums(taken), euros('captured', 25.9, 0))
  })

  test(`${name} hears its own webhooks, and no forged, changed or old one`, async () => {
    const reference = await paid()
    const { raw, headers } = fake.hook(reference)
    const heard = assertHeard(await provider.parseWebhook(raw, headers, at()))
    assert.equal(heard.reference, reference)
    assert.deepEqual(await provider.parseWebhook(raw, headers, at()), heard)
    assert.notEqual(
      assertHeard(await provider.parseWebhook(...told(fake.hook(reference)), at())).eventId,
      heard.eventId,
    )

    const changed = Buffer.from(raw.toString().replace(reference, `${reference}x`))
    assert.equal(await provider.parseWebhook(changed, headers, at()), null)
    assert.equal(await provider.parseWebhook(raw, {}, at()), null)
    assert.equal(await provider.parseWebhook(Buffer.alloc(0), headers, at()), null)
    assert.equal(
      await provider.parseWebhook(...told(fake.hook(reference, { secret: 'whsec_c29tZWJvZHkgZWxzZQ==' })), at()),
      null,
    )
    assert.equal(await provider.parseWebhook(...told(fake.hook(reference, { secondsAgo: 3600 })), at()), null)
    const without = { settings: { ...fake.settings, webhook_secret: '' } }
    for (const secret of ['', fake.settings.webhook_secret!]) {
      assert.equal(await provider.parseWebhook(...told(fake.hook(reference, { secret })), at(without)), null)
    }
  })

  test(`${name} knows what is signed and no event: it would be the same the next time`, async () => {
    const reference = await paid()
    const nul = fake.hook(reference).raw.toString().replaceAll(reference, `${reference}\\u0000`)
    const long = fake.hook(reference).raw.toString().replaceAll(reference, reference.repeat(100))
    for (const body of [
      'not json',
      '{}',
      '[]',
      'null',
      '7',
      '{"id":"evt_1"}',
      '{"id":7,"data":{"object":7}}',
      nul,
      long,
    ]) {
      const heard = await provider.parseWebhook(...told(fake.sign(Buffer.from(body))), at())
      assert.equal(heard, 'malformed', body)
    }
  })

  test(`${name} believes no amount of a webhook: it tells which payment to look at, and no more`, async () => {
    const { reference } = await begun()
    const heard = await provider.parseWebhook(...told(fake.hook(reference, { lies: true })), at())
    assert.deepEqual(Object.keys(heard!).sort(), ['eventId', 'reference'])
    assert.deepEqual(await sums(reference), euros('pending', 0, 0))
  })

  const { failRefund, dispute, approve } = fake
  if (failRefund) {
    test(`${name} tells which refund failed after it was done, by its key`, async () => {
      const reference = await paid()
      const keys = [newUuid(), newUuid()]
      for (const key of keys) assertMoved(await refund(reference, 5, key, at()))
      failRefund(reference, 'closed_card')
      const { refunded, failed_refunds } = await fetchState(reference, at(), { refunded: 10 })
      assert.deepEqual([refunded, failed_refunds], [5, [{ key: keys[1], reason: 'closed_card' }]])
      assertMoved(await refund(reference, 20.9, newUuid(), at()))
    })
  }

  if (dispute) {
    test(`${name} tells of a dispute: its amount, its reason, its due date and how it goes on`, async () => {
      for (const [end, status] of [
        ['win', 'won'],
        ['lose', 'lost'],
      ] as const) {
        const { reference } = await begun()
        await approve(reference)
        assert.deepEqual((await fetchState(reference, at())).disputes ?? [], [])
        const due = new Date('2027-01-15T00:00:00Z')
        const move = dispute(reference, { minor: 2590, reason: 'fraudulent', due })
        const seen = async () => (await fetchState(reference, at())).disputes!
        const [{ reference: id, ...opened }] = (await seen()) as [DisputeState]
        assert.deepEqual(opened, { status: 'needs_response', amount: 25.9, reason: 'fraudulent', evidence_due_at: due })
        move('review')
        assert.deepEqual((await seen())[0]!.status, 'under_review')
        move(end)
        assert.deepEqual([(await seen())[0]!.reference, (await seen())[0]!.status], [id, status])
      }
    })
  }

  test(`${name} takes its minimum, where it has one`, async () => {
    for (const [currency, amount] of Object.entries(provider.minimums ?? {})) {
      await begun({ ...terms(), amount, currency }, at({ currency }))
    }
  })

  for (const { currency, amount, minor, unfit } of fake.currencies) {
    test(`${name} asks for ${amount} ${currency} to the last unit`, async () => {
      const { reference } = await begun({ ...terms(), amount, currency }, at({ currency }))
      assert.equal(fake.askedOf(reference), minor)
      await fake.approve(reference)
      const { captured, currency: told } = await fetchState(reference, at({ currency }))
      assert.deepEqual([captured, told], [amount, currency])
      assertMoved(await refund(reference, amount, newUuid(), at({ currency })))
      assert.equal((await fetchState(reference, at({ currency }))).refunded, amount)
      if (unfit === undefined) return
      assert.ok('refused' in (await createPayment({ ...terms(), amount: unfit, currency }, at({ currency }))))
    })
  }

  for (const how of ['500', 'rubbish', 'hang'] as const) {
    test(`${name}: what was answered with ${how} has its effect once, and shows when it is looked at`, async () => {
      const [reference, kept, session] = [await paid(), await held(), terms()]
      const [refundKey, captureKey, cancelKey] = [newUuid(), newUuid(), newUuid()]
      const open = (await begun()).reference
      const brief = () => at({ signal: AbortSignal.timeout(patienceMs) })
      fake.breakAnswers(how)
      const answers = await Promise.allSettled([
        createPayment(session, brief()),
        refund(reference, 5.9, refundKey, brief()),
        capture(kept, 20, captureKey, brief()),
        cancel(open, cancelKey, brief()),
      ])
      const seen = how === '500' ? null : await Promise.allSettled([fetchState(reference, brief())])
      fake.breakAnswers(null)
      // Unknown is neither done nor refused.
      for (const answer of answers) assert.ok(answer.status === 'rejected' || !('refused' in answer.value))
      assert.equal(seen?.[0]?.status ?? 'rejected', 'rejected')

      assert.equal((await begun(session)).reference, (await begun(session)).reference)
      assertMoved(await refund(reference, 5.9, refundKey, at()))
      assertMoved(await capture(kept, 20, captureKey, at()))
      assertMoved(await cancel(open, cancelKey, at()))
      assert.deepEqual(fake.refundsOf(reference), [590])
      assert.equal((await fetchState(kept, at())).captured, 20)
      assert.ok(['cancelled', 'expired'].includes((await fetchState(open, at())).status))
    })
  }

  test(`${name}: a key that is not its own is refused with a reason, and so is what does not exist`, async () => {
    const secrets = Object.entries(provider.settings).filter(([, { spec }]) => spec.isSecret)
    const wrong = Object.fromEntries(secrets.map(([setting]) => [setting, 'wrong']))
    const begunWrong = await createPayment(terms(), at({ settings: { ...fake.settings, ...wrong } }))
    assert.ok('refused' in begunWrong && begunWrong.refused.length > 0)
    await assert.rejects(fetchState('cs_nothing', at()))
  })

  test(`${name}: a service that is away leaves everything unknown`, async () => {
    const reference = await paid()
    const away = () => at({ apiUrl: 'http://127.0.0.1:9' })
    await assert.rejects(createPayment(terms(), away()))
    await assert.rejects(fetchState(reference, away()))
    await assert.rejects(refund(reference, 1, newUuid(), away()))
    await assert.rejects(cancel(reference, newUuid(), away()))
  })
}

function told({ raw, headers }: { raw: Buffer; headers: Record<string, string> }) {
  return [raw, headers] as const
}

function assertHeard(heard: WebhookEvent | MalformedWebhook | null): WebhookEvent {
  assert.ok(heard !== null && heard !== 'malformed')
  return heard
}

function assertMoved(answer: ProviderResult | ProviderRefusal): ProviderResult {
  assert.ok('reference' in answer, JSON.stringify(answer))
  return answer
}
