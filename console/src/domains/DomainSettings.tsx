import { Alert, Button, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { sentenceOf, useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { Section } from '../parts/Section'
import { DOMAIN_TEXTS as TEXTS } from '../texts/domains'
import { SHELL_TEXTS } from '../texts/shell'
import { PurposeFields, type DomainSettings as Settings, settingsBody, TrackingFields } from './DomainFields'

type Domain = RecordOf<'/domains/{domain_id}'>

/** What can be changed later. */
export function DomainSettings({ domain }: { domain: Domain }) {
  const form = useForm<Settings>({
    initialValues: {
      sending: domain.capabilities.sending === 'enabled',
      receiving: domain.capabilities.receiving === 'enabled',
      open_tracking: domain.open_tracking,
      click_tracking: domain.click_tracking,
      tracking_subdomain: domain.tracking_subdomain ?? '',
      tls: domain.tls,
    },
  })
  const save = useAct({
    run: (settings: Settings) =>
      answer(api.PATCH('/domains/{domain_id}', { params: { path: { domain_id: domain.id } }, body: settingsBody(settings) })),
    done: TEXTS.saved,
    changes: ['domains'],
    isSilent: true,
    onDone: () => form.resetDirty(),
  })
  return (
    <Section title={TEXTS.settings}>
      <form onSubmit={form.onSubmit((settings) => save.mutate(settings))}>
        <Stack maw={640}>
          {save.error && (
            <Alert color="red" role="alert">
              {sentenceOf(save.error)}
            </Alert>
          )}
          <PurposeFields form={form} />
          <TrackingFields form={form} />
          <Button type="submit" w="fit-content" loading={save.isPending} disabled={!form.isDirty()}>
            {SHELL_TEXTS.save}
          </Button>
        </Stack>
      </form>
    </Section>
  )
}
