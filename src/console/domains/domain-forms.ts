// The forms of a domain. They stand for the bodies of the API's operations, and are judged as those are.
import { type Static, Type } from '@sinclair/typebox'
import { createBodyReader } from '../../lib/validation/body-validator.ts'
import type { DomainRow } from '../../modules/domains/domain-rows.repository.ts'
import { DomainCreate, DomainUpdate } from '../../modules/domains/domains.schema.ts'

const text = Type.Optional(Type.String())

/** As a browser sends it: a box that is not ticked is absent. */
export const DomainForm = Type.Object({
  name: text,
  custom_return_path: text,
  tracking_subdomain: text,
  tls: text,
  open_tracking: text,
  click_tracking: text,
  sending: text,
  receiving: text,
})
export type DomainForm = Static<typeof DomainForm>

export const NEW_DOMAIN: DomainForm = { custom_return_path: 'send', tls: 'opportunistic', sending: 'on' }

export const settingsOf = (domain: DomainRow): DomainForm => ({
  tls: domain.tls,
  ...(domain.trackingSubdomain !== null && { tracking_subdomain: domain.trackingSubdomain }),
  ...(domain.openTracking && { open_tracking: 'on' }),
  ...(domain.clickTracking && { click_tracking: 'on' }),
  ...(domain.sending && { sending: 'on' }),
  ...(domain.receiving && { receiving: 'on' }),
})

/** @throws Failure with the sentence of the API. */
export const domainCreateOf = (form: DomainForm): Static<typeof DomainCreate> =>
  readCreate({
    name: form.name ?? '',
    ...(isFilled(form.custom_return_path) && { custom_return_path: form.custom_return_path }),
    ...(isFilled(form.tracking_subdomain) && { tracking_subdomain: form.tracking_subdomain }),
    ...choicesOf(form),
  })

/**
 * An empty tracking subdomain is left out if there was none before. Otherwise it is refused, as it cannot be removed.
 *
 * @throws Failure with the sentence of the API.
 */
export const domainUpdateOf = (form: DomainForm, { trackingSubdomain }: DomainRow): Static<typeof DomainUpdate> =>
  readUpdate({
    ...((isFilled(form.tracking_subdomain) || trackingSubdomain !== null) && { tracking_subdomain: form.tracking_subdomain?.trim() }),
    ...choicesOf(form),
  })

const readCreate = createBodyReader(DomainCreate)
const readUpdate = createBodyReader(DomainUpdate)

const isFilled = (value: string | undefined): boolean => value !== undefined && value.trim() !== ''

const choicesOf = ({ tls, open_tracking, click_tracking, sending, receiving }: DomainForm) => ({
  ...(tls !== undefined && { tls }),
  open_tracking: open_tracking === 'on',
  click_tracking: click_tracking === 'on',
  capabilities: { sending: switchOf(sending), receiving: switchOf(receiving) },
})

const switchOf = (value: string | undefined): string => (value === 'on' ? 'enabled' : 'disabled')
