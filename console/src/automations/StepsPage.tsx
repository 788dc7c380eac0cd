import { Text, Textarea } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { LinkButton } from '../parts/LinkButton'
import { Page } from '../parts/Page'
import { PageForm } from '../parts/PageForm'
import { Section } from '../parts/Section'
import { useAddressPart, useGo } from '../shell/address'
import { Problem } from '../shell/problems'
import { AUTOMATION_ACT_TEXTS as TEXTS } from '../texts/automations'
import { SHELL_TEXTS } from '../texts/shell'

/** The steps as programs write them. The API checks them, and names the step that is wrong. */
export default function StepsPage() {
  const id = useAddressPart('automationId')
  const { data, error, refetch } = useRecord('/automations/{automation_id}', { path: { automation_id: id } })
  if (error && !data) return <Problem error={error} onRetry={() => void refetch()} />
  return data ? <Editor key={id} automation={data} /> : null
}

const ROWS = 30

function Editor({ automation }: { automation: RecordOf<'/automations/{automation_id}'> }) {
  const go = useGo()
  const address = `/automations/${automation.id}`
  const { steps, connections } = automation
  const form = useForm({
    initialValues: { graph: JSON.stringify({ steps, connections }, null, 2) },
    validate: { graph: problemIn },
  })
  const save = useAct({
    run: ({ graph }: { graph: string }) => {
      // Rules hold rules: the types of bodies cannot say so.
      const body = JSON.parse(graph) as never
      return answer(api.PATCH('/automations/{automation_id}', { params: { path: { automation_id: automation.id } }, body }))
    },
    done: TEXTS.saved,
    changes: ['automations'],
    onDone: () => {
      form.resetDirty()
      go(address)
    },
    isSilent: true,
  })
  return (
    <Page title={TEXTS.definition} back={{ to: address, name: automation.name }}>
      <PageForm
        form={form}
        onSubmit={save.mutate}
        error={save.error}
        isBusy={save.isPending}
        acts={
          <LinkButton variant="default" to={address}>
            {SHELL_TEXTS.cancel}
          </LinkButton>
        }
      >
        <Section title={TEXTS.definitionField}>
          <Text size="sm" c="dimmed">
            {TEXTS.definitionHint}
          </Text>
          <Textarea
            aria-label={TEXTS.definitionField}
            rows={ROWS}
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
            {...form.getInputProps('graph')}
          />
        </Section>
      </PageForm>
    </Page>
  )
}

function problemIn(text: string): string | null {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return TEXTS.notJson((error as Error).message)
  }
}
