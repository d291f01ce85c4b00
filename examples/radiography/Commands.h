/*=========================================================================
 *
 *  Copyright NumFOCUS
 *
 *  Licensed under the Apache License, Version 2.0 (the "License");
 *  you may not use this file except in compliance with the License.
 *  You may obtain a copy of the License at
 *
 *         https://www.apache.org/licenses/LICENSE-2.0.txt
 *
 *  Unless required by applicable law or agreed to in writing, software
 *  distributed under the License is distributed on an "AS IS" BASIS,
 *  WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 *  See the License for the specific language governing permissions and
 *  limitations under the License.
 *
 *=========================================================================*/
#ifndef Commands_h
#define Commands_h

#include "Console.h"

namespace radiography::program
{

/** \name One per subcommand: adds it to the program; when it is on the command line, `chosen` becomes its work. */
///@{
void
AddPhantomCommand(CLI::App & program, Action & chosen);
void
AddInspectCommand(CLI::App & program, Action & chosen);
void
AddVolumeCommand(CLI::App & program, Action & chosen);
void
AddDrrCommand(CLI::App & program, Action & chosen);
void
AddRegisterCommand(CLI::App & program, Action & chosen);
void
AddOverviewCommand(CLI::App & program, Action & chosen);
void
AddLawCommand(CLI::App & program, Action & chosen);
void
AddCorrectCommand(CLI::App & program, Action & chosen);
void
AddViewCommand(CLI::App & program, Action & chosen);
void
AddInfoCommand(CLI::App & program, Action & chosen);
///@}

} // namespace radiography::program

#endif
