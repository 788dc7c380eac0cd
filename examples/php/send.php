<?php

$email = ['from' => 'Acme <hello@example.com>', 'to' => 'ada@example.com', 'subject' => 'Hello from PHP', 'text' => 'It works.'];
$answer = file_get_contents(getenv('POSTHASTE_URL') . '/emails', false, stream_context_create(['http' => [
    'method' => 'POST',
    'header' => ['Authorization: Bearer ' . getenv('POSTHASTE_KEY'), 'Content-Type: application/json'],
    'content' => json_encode($email),
    'ignore_errors' => true,
]]));
$sent = json_decode($answer ?: '{}', true);
if (!isset($sent['id'])) {
    fwrite(STDERR, ($sent['message'] ?? 'There is no answer.') . "\n");
    exit(1);
}
echo $sent['id'], "\n";
