import { beforeEach, describe, expect, it } from 'vitest'
import { createComplaintVerifier } from '../../../src/modules/bounces/complaint-verifier.ts'
import { actOnReports } from '../../../src/modules/bounces/reports.worker.ts'
import { type SentMail, sentToOne } from '../../support/builders/engine.ts'
import { keyNameOf, keyRecord, signed } from '../../support/builders/returned-mail.ts'
import { acted, complaintOf, refused, startComplaintService } from '../../support/servers/bounce-services.ts'
import { shared } from '../../support/servers/service.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS

const service = shared(() => startComplaintService())

beforeEach(() => service.forget())

describe('a complaint that names sender and recipient of the mail', () => {
  describe('while the DNS does not answer for its key', () => {
    let one: SentMail
    beforeEach(async () => {
      one = await sentToOne(service, { to: 'annoyed@example.org' })
      service.dns.zone[keyNameOf('example.org')] = { fault: 'SERVFAIL' }
      await service.reported(await signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org' }))
    })
    const WAITING = [{ state: 'waiting', verdict: null, reason: null }]

    it('waits, and counts once the DNS answers', async () => {
      await service.act()
      expect((await service.outcome(one)).messages).toEqual(WAITING)
      service.dns.zone[keyNameOf('example.org')] = keyRecord
      service.clock.advance(MINUTE_MS)

      await service.act()

      expect(await service.outcome(one)).toEqual(acted(one))
    })

    it('is kept with that reason after an hour, and no one is asked again', async () => {
      await service.act()
      service.dns.queries.length = 0
      service.clock.advance(HOUR_MS)

      await service.act()

      expect(await service.outcome(one)).toEqual(refused('the DKIM key of example.org could not be looked up within an hour'))
      expect(service.dns.queries).toEqual([])
    })

    it('is asked about with the next one only after some minutes', async () => {
      const verifier = createComplaintVerifier(service.service.context)
      const asked = async () => {
        service.dns.queries.length = 0
        await actOnReports(service.service.context, { verifier })
        return service.dns.queries.length > 0
      }
      expect(await asked()).toBe(true)
      await service.reported(await signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org' }))
      expect(await asked()).toBe(false)
      service.clock.advance(5 * MINUTE_MS)
      expect(await asked()).toBe(true)
    })
  })

  it('that has waited for an hour because no worker ran counts', async () => {
    const one = await sentToOne(service, { to: 'annoyed@example.org' })
    await service.reported(await signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org' }))
    service.clock.advance(2 * HOUR_MS)

    await service.act()

    expect(await service.outcome(one)).toEqual(acted(one))
  })

  it('waits for its turn when too many others are judged', async () => {
    const one = await sentToOne(service, { to: 'annoyed@example.org' })
    await service.reported(await signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org' }))
    await actOnReports(service.service.context, { verifier: { ...createComplaintVerifier(service.service.context), room: () => 0 } })
    expect((await service.outcome(one)).messages).toEqual([{ state: 'waiting', verdict: null, reason: null }])
    service.clock.advance(MINUTE_MS)

    await service.act()

    expect(await service.outcome(one)).toEqual(acted(one))
  })

  describe('whose signature the thread', () => {
    const withSigned = (isSigned: () => Promise<'overdue' | boolean>) => {
      const { context } = service.service
      return { ...context, gateways: { ...context.gateways, reports: { ...context.gateways.reports, isSigned } } }
    }

    it('cannot verify because it has ended waits for another one', async () => {
      const one = await sentToOne(service, { to: 'annoyed@example.org' })
      await service.reported(await signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org' }))
      await actOnReports(withSigned(() => Promise.reject(new Error('The thread that reads reports ended with code 1'))))
      expect((await service.outcome(one)).messages).toEqual([{ state: 'waiting', verdict: null, reason: null }])
      service.clock.advance(MINUTE_MS)

      await service.act()

      expect(await service.outcome(one)).toEqual(acted(one))
    })

    it('cannot verify in time is tried three times', async () => {
      const one = await sentToOne(service, { to: 'annoyed@example.org' })
      await service.reported(await signed(complaintOf(one, 'abuse@example.org'), { domain: 'example.org' }))
      const states: unknown[] = []
      for (let count = 0; count < 3; count += 1) {
        await actOnReports(withSigned(async () => 'overdue'))
        states.push((await service.outcome(one)).messages[0]?.state)
        service.clock.advance(MINUTE_MS)
      }

      expect(states).toEqual(['waiting', 'waiting', 'done'])
      expect(await service.outcome(one)).toEqual(refused('its signature takes too long to verify'))
    })
  })
})
