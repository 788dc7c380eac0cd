import { Card, SimpleGrid, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { answer, api } from '../api/client'
import { useAllRows } from '../api/queries'
import { Loading } from '../parts/Loading'
import { Page } from '../parts/Page'
import { useMay } from '../session/me'
import { useFilters } from '../shell/address'
import { EDITOR_TEXTS as TEXTS } from '../texts/automation-editor'
import { AUTOMATION_TEXTS } from '../texts/automations'
import { type AutomationSettings, AutomationSettingsFields } from './AutomationSettingsFields'
import { Editor } from './editor/Editor'
import { useEditing } from './editor/editing'
import { EXAMPLES, withEventsOf } from './editor/examples'

type Example = keyof typeof EXAMPLES
const BACK = { to: '/automations', name: AUTOMATION_TEXTS.title }

/** A new automation: from an empty canvas or an example. It is stored when it is saved first. */
export default function NewAutomationPage() {
  const [{ from }] = useFilters(['from'])
  const names = Object.keys(EXAMPLES) as Example[]
  const example = names.find((name) => name === from)
  if (example) return <FromExample key={example} example={example} />
  return (
    <Page title={TEXTS.newTitle} back={BACK}>
      <Text c="dimmed">{TEXTS.chooseHint}</Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }} component="section" aria-label={TEXTS.choose}>
        {names.map((name) => (
          <Card key={name} withBorder component={Link} to={'/automations/new' as never} search={{ from: name } as never}>
            <Text fw={600} c="indigo">
              {EXAMPLES[name].name}
            </Text>
            <Text size="sm" c="dimmed">
              {EXAMPLES[name].about}
            </Text>
          </Card>
        ))}
      </SimpleGrid>
    </Page>
  )
}

/** An event of the example that the team does not have is left to be chosen: an automation that waits for it would never start. */
function FromExample({ example }: { example: Example }) {
  const may = useMay()
  const events = useAllRows('/events', { isEnabled: may('events:read') })
  const [isKnown, setKnown] = useState(!may('events:read'))
  if (!isKnown && !events.isLoading) setKnown(true)
  if (!isKnown) return <Loading />
  return <NewAutomation example={example} events={events.rows.map(({ name }) => name)} />
}

function NewAutomation({ example, events }: { example: Example; events: readonly string[] }) {
  const { graph, name: title, reentry: usual } = EXAMPLES[example]
  const form = useForm<AutomationSettings>({
    initialValues: { name: example === 'empty' ? '' : title, class: 'bulk', reentry: usual },
    validate: { name: (name) => (name.trim() === '' ? TEXTS.nameMissing : null) },
  })
  const editing = useEditing({
    initial: withEventsOf(graph, events),
    save: async ({ steps, connections }) => {
      if (form.validate().hasErrors) return null
      const settings = form.getValues()
      // Rules hold rules: the types of bodies cannot say so.
      const body = { ...settings, name: settings.name.trim(), steps, connections } as never
      const { id } = await answer(api.POST('/automations', { body }))
      return id
    },
    done: TEXTS.created,
  })
  return (
    <Page title={TEXTS.newTitle} back={BACK}>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <AutomationSettingsFields form={form} />
      </SimpleGrid>
      <Editor editing={editing} isOtherDirty={form.isDirty()} />
    </Page>
  )
}
