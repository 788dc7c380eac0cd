import { Checkbox, Fieldset, Select, Stack, TextInput } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { DOMAIN_TEXTS as TEXTS } from '../texts/domains'

export type DomainSettings = {
  sending: boolean
  receiving: boolean
  open_tracking: boolean
  click_tracking: boolean
  tracking_subdomain: string
  tls: 'opportunistic' | 'enforced'
}

/** A form whose values have at least the settings of a domain. */
type Fields<Values extends DomainSettings> = { form: UseFormReturnType<Values> }

export const PurposeFields = <Values extends DomainSettings>({ form }: Fields<Values>) => (
  <Fieldset legend={TEXTS.purposeQuestion} variant="unstyled">
    <Stack gap="xs">
      <Checkbox label={TEXTS.sending} {...form.getInputProps('sending', { type: 'checkbox' })} />
      <Checkbox label={TEXTS.receiving} description={TEXTS.receivingHint} {...form.getInputProps('receiving', { type: 'checkbox' })} />
    </Stack>
  </Fieldset>
)

export const TrackingFields = <Values extends DomainSettings>({ form }: Fields<Values>) => (
  <>
    <TextInput
      label={TEXTS.trackingHost}
      description={TEXTS.trackingHostHint}
      placeholder="links"
      autoComplete="off"
      autoCapitalize="off"
      {...form.getInputProps('tracking_subdomain')}
    />
    <Checkbox label={TEXTS.trackOpens} description={TEXTS.trackOpensHint} {...form.getInputProps('open_tracking', { type: 'checkbox' })} />
    <Checkbox
      label={TEXTS.trackClicks}
      description={TEXTS.trackClicksHint}
      {...form.getInputProps('click_tracking', { type: 'checkbox' })}
    />
    <Select
      label={TEXTS.tls}
      data={Object.entries(TEXTS.tlsChoices).map(([value, label]) => ({ value, label }))}
      allowDeselect={false}
      {...form.getInputProps('tls')}
    />
  </>
)

const switchOf = (isOn: boolean): 'enabled' | 'disabled' => (isOn ? 'enabled' : 'disabled')

/** The settings as the API takes them. An empty subdomain is left out: it cannot be removed. */
export const settingsBody = ({ sending, receiving, tracking_subdomain, open_tracking, click_tracking, tls }: DomainSettings) => ({
  open_tracking,
  click_tracking,
  tls,
  ...(tracking_subdomain.trim() !== '' && { tracking_subdomain: tracking_subdomain.trim() }),
  capabilities: { sending: switchOf(sending), receiving: switchOf(receiving) },
})
