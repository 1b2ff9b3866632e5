// Values that cannot work are refused before anything is installed, with a sentence that says which and why.
import assert from 'node:assert/strict';
import {test} from 'node:test';

import {helm3, helm4, merged, refusal, values} from './support/helm.mjs';

/** Contradictions: the chart's own sentences. [claim, scenario, changes, sentence] */
const contradictions = [
    ['no Redis', 'minimal', {redis: {host: ''}}, /redis: found none; set redis\.host .* or devRedis\.enabled=true/],
    ['two kinds of Redis', 'minimal', {devRedis: {enabled: true}}, /redis and devRedis\.enabled: found both, allowed: one/],
    ['a key for the URL without its Secret', 'minimal', {redis: {urlKey: 'url'}}, /redis\.urlKey: found 'url' without redis\.existingSecret/],
    ['a user without a password', 'minimal', {redis: {username: 'u'}}, /redis\.username: found 'u' without redis\.existingSecret/],
    ['nodes of a standalone Redis', 'minimal', {redis: {nodes: ['a:1']}}, /redis\.nodes: found with redis\.topology=standalone/],
    ['a host of sentinels', 'sentinel', {redis: {host: 'h'}}, /redis\.host: found 'h' with redis\.topology=sentinel, allowed: redis\.nodes/],
    ['sentinels without nodes', 'minimal', {redis: {topology: 'sentinel'}}, /redis\.nodes: found none, but redis\.topology=sentinel needs/],
    ['sentinels without the master\'s name', 'sentinel', {redis: {sentinelMaster: ''}}, /redis\.sentinelMaster: found '', but/],
    ['a sentinel\'s user without sentinels', 'minimal', {redis: {sentinelUsername: 'u'}}, /redis\.sentinelUsername .*: found with redis\.topology=standalone/],
    ['a database of a cluster', 'cluster', {redis: {database: 1}}, /redis\.database: found 1, allowed: 0/],
    ['certificates without TLS', 'minimal', {redis: {tls: {existingSecret: 's'}}}, /redis\.tls\.existingSecret: found 's' with redis\.tls\.enabled=false/],
    ['a certificate without its key', 'production', {redis: {tls: {keyKey: ''}}}, /redis\.tls\.certKey and redis\.tls\.keyKey: found one/],
    ['a loader without the Secret of its user', 'minimal', {redis: {loader: {enabled: true}}}, /redis\.loader\.existingSecret: found ''/],
    ['a loader for the development Redis', 'development', {redis: {loader: {enabled: true, existingSecret: 's'}}}, /redis\.loader\.enabled: found true with devRedis\.enabled/],
    ['no provider', 'minimal', {providers: null}, /providers: found none; name at least one/],
    ['providers in two places', 'minimal', {providersConfigMap: 'p'}, /providers and providersConfigMap: found both/],
    ['a provider without an address', 'minimal', {providers: {other: {type: 'openai'}}}, /providers\.other\.baseUrl: found nothing/],
    ['a provider without a type', 'minimal', {providers: {other: {baseUrl: 'http://a'}}}, /providers\.other\.type: found nothing/],
    ['a client certificate without its key', 'minimal',
        {providers: {main: {clientCert: {existingSecret: 's', key: 'k'}}}},
        /providers\.main\.clientCert and providers\.main\.clientKey: found one, allowed: both or none/],
    ['a proxy\'s key without its Secret', 'minimal', {proxy: {httpsKey: 'k'}},
        /proxy\.httpsKey: found 'k' without proxy\.existingSecret/],
    ['a Secret of proxies without a key', 'minimal', {proxy: {existingSecret: 's'}},
        /proxy\.existingSecret: found 's', but none of its keys/],
    ['a proxy in two places', 'providers', {proxy: {all: 'http://p:1'}},
        /proxy\.all and proxy\.allKey: found both, allowed: one/],
    ['a coordinator without tokens', 'minimal', {auth: {existingSecret: ''}}, /auth\.existingSecret: found '', but the coordinator serves a network/],
    ['two coordinators with a volume each', 'minimal', {coordinator: {replicas: 2}}, /coordinator\.replicas: found 2, allowed: 1, since a standby needs the same volume/],
    ['a budget that blocks node drains', 'standby', {coordinator: {podDisruptionBudget: {enabled: true}}}, /podDisruptionBudget\.enabled: found true .* a standby is never ready/],
    ['an ingress without a host', 'minimal', {coordinator: {ingress: {enabled: true}}}, /coordinator\.ingress\.hosts: found none/],
    ['an HTTPRoute without its Gateway', 'minimal', {coordinator: {httpRoute: {enabled: true}}}, /coordinator\.httpRoute\.parentRefs: found none/],
    ['an HTTPRoute that a policy shuts out', 'minimal', {coordinator: {httpRoute: {enabled: true, parentRefs: [{name: 'g'}]}}, networkPolicy: {enabled: true}},
        /networkPolicy\.apiFrom: found none, so that the ingress controller or Gateway/],
    ['two families of addresses on a single stack', 'minimal', {coordinator: {service: {ipFamilyPolicy: 'SingleStack', ipFamilies: ['IPv4', 'IPv6']}}},
        /coordinator\.service\.ipFamilies: found two with coordinator\.service\.ipFamilyPolicy=SingleStack/],
    ['an ingress that a policy shuts out', 'production', {networkPolicy: {apiFrom: []}}, /networkPolicy\.apiFrom: found none, so that the ingress controller/],
    ['a monitor without the token it needs', 'keda-metrics-api', {monitoring: {serviceMonitor: {tokenSecret: ''}}}, /serviceMonitor\.tokenSecret: found ''/],
    ['nightly runs without a coordinator', 'production', {coordinator: {enabled: false}}, /nightlyRuns: found some with coordinator\.enabled=false/],
    ['a grace period shorter than the drain', 'minimal', {worker: {terminationGracePeriodSeconds: 134}},
        /terminationGracePeriodSeconds of worker pool 'default': found 134, allowed: 135 or more, which is drainTimeoutSeconds \(120\) and 15/],
    ['a drain longer than one pool\'s grace period', 'production', {workerPools: {spot: {drainTimeoutSeconds: 46}}}, /of worker pool 'spot': found 60, allowed: 61/],
    ['fewer pods at most than at least', 'hpa', {worker: {autoscaling: {minReplicas: 11}}}, /minReplicas of worker pool 'default': found 11, allowed: at most autoscaling\.maxReplicas \(10\)/],
    ['an autoscaler to zero', 'hpa', {worker: {autoscaling: {minReplicas: 0}}}, /minReplicas of worker pool 'cpu': found 0, .* only keda scales to zero/],
    ['KEDA without Prometheus', 'minimal', {worker: {autoscaling: {type: 'keda'}}}, /keda\.prometheusAddress of worker pool 'default': found ''/],
    ['KEDA that asks a coordinator which is not there', 'workers-only', {worker: {autoscaling: {type: 'keda', keda: {source: 'metricsApi'}}}}, /keda\.source of worker pool 'default': found metricsApi, allowed: prometheus/],
    ['KEDA without the token that the metrics need', 'keda-metrics-api', {worker: {autoscaling: {keda: {tokenSecret: ''}}}}, /keda\.tokenSecret of worker pool 'default': found ''/],
    ['KEDA that a policy shuts out', 'keda-metrics-api', {networkPolicy: {enabled: true}}, /networkPolicy\.apiFrom: found none, so that KEDA could not ask/],
    ['a pool with a provider of its own', 'minimal', {workerPools: {default: {providers: {other: {type: 'openai', baseUrl: 'http://a'}}}}},
        /providers of worker pool 'default': found 'other', which is not under `providers`/],
    ['a nightly run without a token', 'production', {nightly: {tokenSecret: ''}}, /tokenSecret of nightly run 'qa': found ''/],
    ['a nightly run without its file', 'production', {nightlyRuns: {qa: {runFile: 'other.yaml'}}}, /files of nightly run 'qa': found no 'other\.yaml' among them/],
    ['a nightly run with two sources of files', 'production', {nightlyRuns: {qa: {existingConfigMap: 'c'}}}, /files and existingConfigMap of nightly run 'qa': found both/],
    ['a secret in a variable of the coordinator', 'minimal', {coordinator: {extraEnv: [{name: 'MY_TOKEN', value: 'hunter2'}]}}, /coordinator\.extraEnv: found a value for MY_TOKEN, allowed: valueFrom\.secretKeyRef/],
    ['a Redis URL in a variable', 'minimal', {worker: {extraEnv: [{name: 'EVALFLEET_REDIS', value: 'redis://:hunter2@h'}]}}, /extraEnv of worker pool 'default': found a value for EVALFLEET_REDIS/],
    ['a key in a variable of a nightly run', 'production', {nightly: {extraEnv: [{name: 'OPENAI_API_KEY', value: 'hunter2'}]}}, /extraEnv of nightly run 'qa': found a value for OPENAI_API_KEY/],
];

for (const [claim, scenario, changes, sentence] of contradictions) {
    test(`refuses ${claim}`, async () => {
        const text = await refusal(merged(values(scenario), changes));
        assert.match(text, sentence);
        assert.match(text, /These values cannot work/);
        assert.doesNotMatch(text, /hunter2/, 'a secret is not repeated');
    });
}

/** What the schema refuses: both helms name the place. [claim, changes, place] */
const shapes = [
    ['a misspelt value', {worker: {concurency: 3}}, /worker.*concurency/],
    ['a misspelt value of a pool', {workerPools: {default: {replcas: 3}}}, /workerPools.*default.*replcas/],
    ['a misspelt value at the top', {workerPool: {}}, /workerPool/],
    ['a text for a number', {worker: {concurrency: 'many'}}, /worker.*concurrency/],
    ['no concurrency', {worker: {concurrency: 0}}, /worker.*concurrency/],
    ['two autoscalers', {worker: {autoscaling: {type: 'hpa,keda'}}}, /autoscaling.*type/],
    ['a share above one', {worker: {autoscaling: {share: 1.5}}}, /autoscaling.*share/],
    ['a region that is two', {environment: {region: 'eu,us'}}, /environment.*region/],
    ['an unknown kind of Redis', {redis: {topology: 'replicated'}}, /redis.*topology/],
    ['a port that is none', {redis: {port: 70000}}, /redis.*port/],
    ['a password among the values', {redis: {password: 'x'}}, /redis.*password/],
    ['an unknown kind of provider', {providers: {main: {type: 'opena'}}}, /providers.*main.*type/],
    ['a password in a proxy\'s address', {proxy: {https: 'http://u:p@host:3128'}}, /proxy.*https/],
    ['a proxy of an unknown kind', {proxy: {all: 'socks4://host:1080'}}, /proxy.*all/],
    ['a client certificate among the values', {providers: {main: {clientCert: '-----BEGIN'}}},
        /providers.*main.*clientCert/],
    ['connections that are idle for a day', {providers: {main: {idleTimeoutMs: 86400000}}},
        /providers.*main.*idleTimeoutMs/],
    ['a key among the values', {providers: {main: {apiKey: 'sk-x'}}}, /providers.*main.*apiKey/],
    ['a password in a provider\'s address', {providers: {main: {baseUrl: 'https://u:p@host/v1'}}}, /providers.*main.*baseUrl/],
    ['a provider\'s key without the Secret', {providers: {other: {type: 'openai', baseUrl: 'https://h', apiKey: {key: 'k'}}}}, /providers.*other.*apiKey/],
    ['a digest that is none', {image: {digest: 'latest'}}, /image.*digest/],
    ['a queue\'s name with a colon', {pool: 'a:b'}, /pool/],
    ['a pool\'s name that is no name', {workerPools: {'GPU pool': {}}}, /GPU pool/],
    ['a pool\'s name of 21 letters', {workerPools: {'a23456789012345678901': {}}}, /a23456789012345678901/],
    ['a schedule that is none', {nightlyRuns: {qa: {schedule: 'at night'}}}, /nightlyRuns.*qa.*schedule/],
    ['a severity that is none', {monitoring: {prometheusRule: {overrides: {A: {severity: 'bad'}}}}}, /overrides.*A.*severity/],
    ['a retention that is none', {coordinator: {retention: '3 weeks'}}, /coordinator.*retention/],
    ['a third coordinator', {coordinator: {replicas: 3}}, /coordinator.*replicas/],
    ['a probe\'s path', {worker: {livenessProbe: {httpGet: {path: '/readyz'}}}}, /worker.*livenessProbe.*httpGet/],
    ['a part that was emptied', {coordinator: {ingress: null}}, /coordinator.*ingress/],
    ['all workers\' values emptied', {worker: null}, /worker/],
    ['a family of addresses that is none', {coordinator: {service: {ipFamilies: ['IPv5']}}}, /coordinator.*service.*ipFamilies/],
    ['a host alias without a host', {worker: {hostAliases: [{ip: '10.0.0.1'}]}}, /worker.*hostAliases/],
    ['a Gateway without a name', {coordinator: {httpRoute: {parentRefs: [{namespace: 'x'}]}}}, /coordinator.*httpRoute.*parentRefs/],
    ['a hook that is none', {worker: {lifecycle: {beforeStop: {}}}}, /worker.*lifecycle.*beforeStop/],
    ['another policy of eviction', {worker: {podDisruptionBudget: {unhealthyPodEvictionPolicy: 'Never'}}}, /unhealthyPodEvictionPolicy/],
    ['a flag that is none', {worker: {extraArgs: ['threads']}}, /worker.*extraArgs/],
];

for (const [claim, changes, place] of shapes) {
    test(`refuses ${claim}`, async () => {
        for (const helm of [helm3, helm4]) {
            const text = await refusal(merged(values('minimal'), changes), {helm});
            assert.match(text, /schema/);
            assert.match(text, place);
        }
    });
}

test('tells all contradictions at once', async () => {
    const text = await refusal({});
    assert.match(text, /redis: found none/);
    assert.match(text, /providers: found none/);
    assert.match(text, /auth\.existingSecret: found ''/);
});

test('the same with helm 4', async () => {
    assert.match(await refusal({}, {helm: helm4}), /These values cannot work:\n- redis: found none/);
});
