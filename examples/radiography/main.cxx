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
// The command-line program `radiography`: from a CT series to what an X-ray detector would count.

#include "Commands.h"
#include "Errors.h"

#include "itkMacro.h"

#include <iostream>

namespace
{

using namespace radiography::program;

constexpr int ExitFailure = 1;
constexpr int ExitUsage = 2;

int
TellError(const std::string & message, const std::string & hint, int exitCode)
{
  std::cerr << "radiography: error: " << OneLine(message) << '\n';
  if (!hint.empty())
  {
    std::cerr << "hint: " << OneLine(hint) << '\n';
  }
  return exitCode;
}

/** Understands the command line. \return the work to do; nothing for --help and --version. */
Action
Understand(CLI::App & program, Action & chosen, int argc, char ** argv)
{
  try
  {
    program.parse(argc, argv);
  }
  catch (const CLI::Success & success) // --help and --version are "errors" to CLI11
  {
    program.exit(success, std::cout, std::cerr);
    return {};
  }
  catch (const CLI::ParseError & error)
  {
    throw UsageError(error.what(), "radiography --help, or radiography COMMAND --help, tells what is understood");
  }
  return chosen;
}

int
Run(int argc, char ** argv)
{
  CLI::App program{ "From a CT series to what an X-ray detector would count. Lengths in mm, angles in degrees, "
                    "energies in keV, world = LPS.",
                    "radiography" };
  program.set_version_flag("--version", std::string("radiography ") + RADIOGRAPHY_VERSION);
  program.set_help_flag("--help", "print this help and exit");
  program.require_subcommand(1);
  Action chosen;
  AddPhantomCommand(program, chosen);
  AddInspectCommand(program, chosen);
  AddVolumeCommand(program, chosen);
  AddDrrCommand(program, chosen);
  AddRegisterCommand(program, chosen);
  AddOverviewCommand(program, chosen);
  AddLawCommand(program, chosen);
  AddCorrectCommand(program, chosen);
  AddViewCommand(program, chosen);
  AddInfoCommand(program, chosen);
  for (auto * command : program.get_subcommands(nullptr))
  {
    command->set_help_flag("--help", "print this help and exit");
    command->set_version_flag("--version", std::string("radiography ") + RADIOGRAPHY_VERSION);
  }

  if (const auto action = Understand(program, chosen, argc, argv))
  {
    action();
    std::cout.flush();
    if (!std::cout)
    {
      throw Failure("cannot write to standard output");
    }
  }
  return 0;
}

} // namespace

int
main(int argc, char ** argv)
{
  try
  {
    return Run(argc, argv);
  }
  catch (const UsageError & error)
  {
    return TellError(error.what(), error.Hint(), ExitUsage);
  }
  catch (const Failure & error)
  {
    return TellError(error.what(), error.Hint(), ExitFailure);
  }
  catch (const itk::ExceptionObject & error)
  {
    return TellError(error.GetDescription(), "", ExitFailure);
  }
  catch (const std::bad_alloc &)
  {
    return TellError("there is not enough memory", "fewer pixels or sub-rays, or a smaller CT, need less", ExitFailure);
  }
  catch (const std::exception & error)
  {
    return TellError(error.what(), "", ExitFailure);
  }
}
