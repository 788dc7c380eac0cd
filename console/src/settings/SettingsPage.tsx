import { Button, Code, ColorInput, Group, List, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { type RecordOf, useRecord } from '../api/queries'
import { ImagePicker } from '../images/ImagePicker'
import type { StoredImage } from '../images/image-files'
import { Awaited } from '../parts/Awaited'
import { Copyable } from '../parts/Copyable'
import { Facts } from '../parts/Facts'
import { Page } from '../parts/Page'
import { changesOf, useRecordForm } from '../parts/record-form'
import { Section } from '../parts/Section'
import { Time } from '../parts/Time'
import { useMay } from '../session/me'
import { SETTINGS_TEXTS as TEXTS } from '../texts/settings'
import { isColor } from './colors'
import { PagePreview } from './PagePreview'

type Team = RecordOf<'/team'>

export default function SettingsPage() {
  const { data: team, error, refetch } = useRecord('/team')
  if (!team) return <Awaited read={{ error, refetch }} />
  return (
    <Page title={TEXTS.title}>
      <Look key={team.id} team={team} />
      <Section title={TEXTS.receiving}>
        <Text c="dimmed" size="sm">
          {team.receiving_domains.length > 0 ? TEXTS.receivingHint : TEXTS.receivingNone}
        </Text>
        <List>
          {team.receiving_domains.map((domain) => (
            <List.Item key={domain}>
              <Code>@{domain}</Code>
            </List.Item>
          ))}
        </List>
      </Section>
      <Section title={TEXTS.facts}>
        <Facts
          facts={[
            [TEXTS.id, <Copyable key="id" text={team.id} />],
            [TEXTS.created, <Time key="created" at={team.created_at} />],
          ]}
        />
      </Section>
    </Page>
  )
}

function Look({ team }: { team: Team }) {
  const mayChange = useMay()('team:write')
  const form = useRecordForm(
    { name: team.name, color: team.color ?? '' },
    { validate: { color: (color) => (color === '' || isColor(color) ? null : TEXTS.colorWrong) } },
  )
  const save = useAct({
    run: (values: typeof form.values) => {
      const { color, ...others } = changesOf(form.getInitialValues(), values)
      return answer(api.PATCH('/team', { body: { ...others, ...(color !== undefined && { color: color === '' ? null : color }) } }))
    },
    done: TEXTS.saved,
    changes: ['team', 'me'],
    onDone: (_saved, values) => form.resetDirty(values),
  })
  const { name, color } = form.values
  return (
    <Section title={TEXTS.look}>
      <Text c="dimmed" size="sm">
        {TEXTS.lookHint}
      </Text>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
        <Stack gap="md">
          <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
            <Stack gap="sm">
              <TextInput label={TEXTS.name} description={TEXTS.nameHint} required readOnly={!mayChange} {...form.getInputProps('name')} />
              <ColorInput
                withEyeDropper={false}
                label={TEXTS.color}
                description={TEXTS.colorHint}
                readOnly={!mayChange}
                {...form.getInputProps('color')}
              />
              {mayChange && (
                <Button type="submit" variant="default" w="fit-content" disabled={!form.isDirty()} loading={save.isPending}>
                  {TEXTS.save}
                </Button>
              )}
            </Stack>
          </form>
          {mayChange && <Logo team={team} />}
          <Text size="sm">
            {TEXTS.placeholders} <Code>{'{{{TEAM_NAME}}}'}</Code> <Code>{'{{{TEAM_COLOR}}}'}</Code> <Code>{'{{{TEAM_LOGO_URL}}}'}</Code>
          </Text>
        </Stack>
        <PagePreview name={name} color={color} logoPath={team.logo_url && new URL(team.logo_url).pathname} />
      </SimpleGrid>
    </Section>
  )
}

function Logo({ team }: { team: Team }) {
  const [isPicking, picker] = useDisclosure()
  const show = useAct({
    run: ({ id }: StoredImage) => answer(api.PATCH('/team', { body: { logo_id: id } })),
    done: TEXTS.shown,
    changes: ['team', 'images'],
  })
  const remove = useAct({
    run: () => answer(api.PATCH('/team', { body: { logo_id: null } })),
    done: TEXTS.removed,
    changes: ['team'],
  })
  return (
    <Stack gap="xs">
      <Text size="sm" fw={500}>
        {TEXTS.logo}
      </Text>
      <Text c="dimmed" size="xs">
        {TEXTS.logoHint} {team.logo_url === null && TEXTS.noLogo}
      </Text>
      <Group gap="xs">
        <Button variant="default" loading={show.isPending} onClick={picker.open}>
          {TEXTS.choose}
        </Button>
        {team.logo_id !== null && (
          <Button variant="subtle" color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
            {TEXTS.remove}
          </Button>
        )}
      </Group>
      <ImagePicker
        isOpen={isPicking}
        onClose={picker.close}
        onChoose={(image) => {
          picker.close()
          show.mutate(image)
        }}
      />
    </Stack>
  )
}
