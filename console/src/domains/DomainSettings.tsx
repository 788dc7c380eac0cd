import { Button, Stack } from '@mantine/core'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { ErrorAlert } from '../parts/ErrorAlert'
import { changesOf, useRecordForm } from '../parts/record-form'
import { Section } from '../parts/Section'
import { useRefusal } from '../parts/use-refusal'
import { DOMAIN_TEXTS as TEXTS } from '../texts/domains'
import { SHELL_TEXTS } from '../texts/shell'
import { PurposeFields, type DomainSettings as Settings, settingsBody, TrackingFields } from './DomainFields'

type Domain = RecordOf<'/domains/{domain_id}'>

/** What can be changed later. */
export function DomainSettings({ domain }: { domain: Domain }) {
  const form = useRecordForm<Settings>({
    sending: domain.capabilities.sending === 'enabled',
    receiving: domain.capabilities.receiving === 'enabled',
    open_tracking: domain.open_tracking,
    click_tracking: domain.click_tracking,
    tracking_subdomain: domain.tracking_subdomain ?? '',
    tls: domain.tls,
  })
  const save = useAct({
    run: (settings: Settings) =>
      answer(
        api.PATCH('/domains/{domain_id}', {
          params: { path: { domain_id: domain.id } },
          body: changesOf(settingsBody(form.getInitialValues()), settingsBody(settings)),
        }),
      ),
    done: TEXTS.saved,
    changes: ['domains'],
    isSilent: true,
    onDone: (_saved, settings) => form.resetDirty(settings),
  })
  const refusal = useRefusal(form, save.error)
  return (
    <Section title={TEXTS.settings}>
      <form ref={refusal.around} onSubmit={form.onSubmit((settings) => save.mutate(settings), refusal.onInvalid)}>
        <Stack maw={640}>
          <PurposeFields form={form} />
          <TrackingFields form={form} />
          {refusal.error && <ErrorAlert error={refusal.error} ref={refusal.alert} />}
          <Button type="submit" w="fit-content" loading={save.isPending} disabled={!form.isDirty()}>
            {SHELL_TEXTS.save}
          </Button>
        </Stack>
      </form>
    </Section>
  )
}
