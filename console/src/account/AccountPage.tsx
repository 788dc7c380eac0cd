import { Button, Group, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useAct } from '../api/acts'
import { answer, api } from '../api/client'
import { Page } from '../parts/Page'
import { Section } from '../parts/Section'
import { useMe } from '../session/me'
import { ACCOUNT_TEXTS as TEXTS } from '../texts/account'
import { Passkeys } from './Passkeys'
import { Sessions } from './Sessions'
import { Teams } from './Teams'

/** What belongs to the person who is signed in, in whichever team. */
export default function AccountPage() {
  return (
    <Page title={TEXTS.title}>
      <You />
      <Passkeys />
      <Sessions />
      <Teams />
    </Page>
  )
}

function You() {
  const me = useMe()
  const form = useForm({ initialValues: { name: me.name } })
  const rename = useAct({
    run: (body: { name: string }) => answer(api.PATCH('/me', { body })),
    done: TEXTS.named,
    changes: ['me'],
    onDone: (_saved, values) => form.resetDirty(values),
  })
  return (
    <Section title={TEXTS.you}>
      <form onSubmit={form.onSubmit((values) => rename.mutate(values))}>
        <Group align="flex-start">
          <TextInput
            label={TEXTS.name}
            description={TEXTS.nameHint}
            required
            w={{ base: '100%', xs: 280 }}
            autoComplete="name"
            {...form.getInputProps('name')}
          />
          <TextInput
            label={TEXTS.email}
            description={TEXTS.emailHint}
            value={me.email}
            readOnly
            variant="filled"
            w={{ base: '100%', xs: 420 }}
          />
        </Group>
        <Button type="submit" mt="md" variant="default" disabled={!form.isDirty()} loading={rename.isPending}>
          {TEXTS.save}
        </Button>
      </form>
    </Section>
  )
}
