import { Alert, Button, NumberInput, SimpleGrid, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { sentenceOf, useAct } from '../api/acts'
import { answer, api } from '../api/client'
import type { RecordOf } from '../api/queries'
import { Section } from '../parts/Section'
import { TEAM_TEXTS as TEXTS } from '../texts/operation'
import { SHELL_TEXTS } from '../texts/shell'

type Name = keyof typeof TEXTS.limit
const NAMES = Object.keys(TEXTS.limit) as Name[]
type Values = Record<Name, number | string>

export function TeamLimits({ teamId, limits }: { teamId: string; limits: RecordOf<'/teams/{team_id}/limits'> }) {
  const form = useForm<Values>({ initialValues: Object.fromEntries(NAMES.map((name) => [name, limits[name] ?? ''])) as Values })
  const save = useAct({
    run: (values: Values) => {
      const body = Object.fromEntries(NAMES.map((name) => [name, values[name] === '' ? null : Number(values[name])]))
      return answer(api.PATCH('/teams/{team_id}/limits', { params: { path: { team_id: teamId } }, body }))
    },
    done: TEXTS.saved,
    changes: ['teams'],
    isSilent: true,
    onDone: () => form.resetDirty(),
  })
  return (
    <Section title={TEXTS.limits}>
      <Text size="sm" c="dimmed">
        {TEXTS.limitsHint}
      </Text>
      <form onSubmit={form.onSubmit((values) => save.mutate(values))}>
        <Stack>
          {save.error && (
            <Alert color="red" role="alert">
              {sentenceOf(save.error)}
            </Alert>
          )}
          <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
            {NAMES.map((name) => (
              <NumberInput
                key={name}
                label={TEXTS.limit[name]}
                allowDecimal={false}
                allowNegative={false}
                thousandSeparator=","
                {...form.getInputProps(name)}
              />
            ))}
          </SimpleGrid>
          <Button type="submit" w="fit-content" loading={save.isPending} disabled={!form.isDirty()}>
            {SHELL_TEXTS.save}
          </Button>
        </Stack>
      </form>
    </Section>
  )
}
