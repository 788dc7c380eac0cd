import { Text, Textarea } from '@mantine/core'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { Loading } from '../parts/Loading'
import { Page } from '../parts/Page'
import { PageForm } from '../parts/PageForm'
import { usePageForm } from '../parts/page-form'
import { Section } from '../parts/Section'
import { useAddressPart } from '../shell/address'
import { Problem } from '../shell/problems'
import { AUTOMATION_ACT_TEXTS as TEXTS } from '../texts/automations'

/** The steps as programs write them. The API checks them, and names the step that is wrong. */
export default function StepsPage() {
  const id = useAddressPart('automationId')
  const { data, error, refetch } = useRecord('/automations/{automation_id}', { path: { automation_id: id } })
  if (error && !data) return <Problem error={error} onRetry={() => void refetch()} />
  return data ? <Editor key={id} automation={data} /> : <Loading />
}

const ROWS = 30

function Editor({ automation }: { automation: RecordOf<'/automations/{automation_id}'> }) {
  const address = `/automations/${automation.id}`
  const { steps, connections } = automation
  const page = usePageForm({
    initialValues: { graph: JSON.stringify({ steps, connections }, null, 2) },
    validate: { graph: problemIn },
    run: ({ graph }: { graph: string }) => {
      // Rules hold rules: the types of bodies cannot say so.
      const body = JSON.parse(graph) as never
      return answer(api.PATCH('/automations/{automation_id}', { params: { path: { automation_id: automation.id } }, body }))
    },
    done: TEXTS.saved,
    changes: ['automations'],
    to: address,
    back: address,
  })
  return (
    <Page title={TEXTS.definition} back={{ to: address, name: automation.name }}>
      <PageForm {...page}>
        <Section title={TEXTS.definitionField}>
          <Text size="sm" c="dimmed">
            {TEXTS.definitionHint}
          </Text>
          <Textarea
            aria-label={TEXTS.definitionField}
            rows={ROWS}
            spellCheck={false}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: 13 } }}
            {...page.form.getInputProps('graph')}
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
