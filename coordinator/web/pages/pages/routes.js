// All pages and their addresses.
import {comparePage} from './compare.js';
import {fleetPage} from './fleet.js';
import {groupPage} from './group.js';
import {groupsPage} from './groups.js';
import {loginPage} from './login.js';
import {runPage} from './run.js';
import {runbooksPage} from './runbooks.js';
import {runsPage} from './runs.js';
import {samplesPage} from './samples.js';
import {submitPage} from './submit.js';
import {trendsPage} from './trends.js';

export const routes = [
  {pattern: '/', open: runsPage},
  {pattern: '/runs', open: runsPage},
  {pattern: '/runs/:id', open: runPage},
  {pattern: '/runs/:id/samples', open: samplesPage},
  {pattern: '/runs/:id/samples/:index', open: samplesPage},
  {pattern: '/compare', open: comparePage},
  {pattern: '/groups', open: groupsPage},
  {pattern: '/groups/:id', open: groupPage},
  {pattern: '/trends', open: trendsPage},
  {pattern: '/fleet', open: fleetPage},
  {pattern: '/runbooks', open: runbooksPage},
  {pattern: '/submit', open: submitPage},
  {pattern: '/login', open: loginPage},
];
